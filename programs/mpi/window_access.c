// SPDX-License-Identifier: Apache-2.0
// Accesses to the windows of other ranks, over calls: MPI_Put to MPI_Compare_and_swap, with and without requests. All errors are those of the
// rank that calls: it knows the sizes of all windows.

#include <stdlib.h>
#include <string.h>

#include "windows.h"

// What is accessed; of a swap the data are an element to compare with and a new one.
struct access {
  int kind, target, count, result_count, target_count;
  const void *data, *compared;
  void *result;
  MPI_Datatype type, result_type, target_type;
  MPI_Aint place;
  MPI_Op op;
  MPI_Win window;
  long site;
};

static long bytes_of(int count, MPI_Datatype type, long site) {
  if (count < 0) mpi_refuse("a negative count; accepted: 0 and more", site);
  return count * mpi_layout(type, site).bytes;
}

// Does a target combine such elements?
static int has_operator(int element, MPI_Op op) {
  if (element == ELEMENT_OTHER || op < 0) return 0;
  if (element < ELEMENT_FP32 || element == ELEMENT_BOOL) return op <= MPI_BXOR;
  if (element <= ELEMENT_FP64) return op <= MPI_MAX;
  if (element <= ELEMENT_COMPLEX64) return op <= MPI_PROD;
  return op == MPI_MINLOC || op == MPI_MAXLOC;
}

// Which elements an accumulate combines.
static int element_of(MPI_Datatype base, MPI_Op op, long site) {
  if (op == MPI_REPLACE || op == MPI_NO_OP) return ELEMENT_OTHER;
  int element = base < 0 ? ELEMENT_OTHER : (int)(mpi_reduction(0, MPI_SUM, base) >> 16);
  if (!has_operator(element, op))
    mpi_refuse("an accumulate with an operator that the datatype does not have; accepted: MPI's pairs of operator and type without long "
               "double, MPI_REPLACE, MPI_NO_OP", site);
  return element;
}

// Distance and runs of the elements of a target, where they do not follow each other.
static long *runs_of(const struct layout *layout, struct head *head, long site) {
  int is_consecutive = layout->num_runs == 1 && (layout->bytes == mpi_extent(layout) || layout->bytes == head->bytes);
  if (is_consecutive || layout->num_runs == 0) {
    head->start += layout->num_runs ? layout->runs[0].offset : 0;
    return 0;
  }
  head->described = (unsigned)((1 + 2 * layout->num_runs) * (long)sizeof(long));
  long *words = mpi_space_for(head->described, site), *next = words;
  *next++ = mpi_extent(layout);
  for (long run = 0; run < layout->num_runs; run++) {
    *next++ = layout->runs[run].offset;
    *next++ = layout->runs[run].bytes;
  }
  return words;
}

// The elements of the target are in its window.
static void check(const struct access *access, const struct target *target, const struct layout *layout) {
  long start = access->place * target->unit, length = (access->target_count - 1) * mpi_extent(layout);
  if (access->target_count < 1 || layout->bytes == 0) return;
  long first = start + layout->first, last = start + layout->last + length;
  if (access->place < 0 || first < 0 || last > target->bytes) mpi_refuse("an access outside the window of its target", access->site);
}

// Response into elements of a derived datatype.
struct response {
  struct packed packed;
  void *result;
  MPI_Datatype type;
  long site;
};

static void unpack(void *state) {
  struct response *response = state;
  mpi_unpacked(response->packed, response->packed.bytes, response->result, response->type, response->site);
  free(response);
}

static MPI_Request kept(const struct access *access, struct packed packed, MPI_Request active) {
  struct response *response = mpi_space_for(sizeof *response, access->site);
  *response = (struct response){packed, access->result, access->result_type, access->site};
  return mpi_keep_operation(active, unpack, response, access->site);
}

// What is sent: of a swap two elements.
static struct packed sent(const struct access *access) {
  int is_read = access->kind == ACCESS_GET || access->op == MPI_NO_OP;
  if (is_read && access->result) return (struct packed){0, 0};
  if (access->kind != ACCESS_SWAP && mpi_is_derived(access->type))
    return mpi_packed(access->data, access->count, access->type, access->site);
  if (access->kind != ACCESS_SWAP)
    return (struct packed){(char *)access->data, bytes_of(access->count, access->type, access->site)};
  struct packed both = mpi_space(2, access->type, access->site);
  memcpy(both.data, access->compared, (size_t)both.bytes / 2);
  memcpy(both.data + both.bytes / 2, access->data, (size_t)both.bytes / 2);
  return both;
}

static void check_lengths(const struct access *access, long bytes) {
  int is_read = access->result && (access->kind == ACCESS_GET || access->op == MPI_NO_OP);
  if ((!is_read && bytes_of(access->count, access->type, access->site) != bytes) ||
      (access->result && bytes_of(access->result_count, access->result_type, access->site) != bytes))
    mpi_refuse("an access of another length than that of its target", access->site);
}

// The request of the response, or where there is none that of the message.
static MPI_Request begin(const struct access *access, int is_open) {
  struct window *window = mpi_window(access->window, access->site);
  if (access->target == MPI_PROC_NULL) return MPI_REQUEST_NULL;
  struct target *target = mpi_target(window, access->target, access->site);
  struct layout layout = mpi_layout(access->target_type, access->site);
  struct head head = {.kind = (unsigned char)access->kind, .start = access->place * target->unit, .element = ELEMENT_OTHER};
  head.bytes = bytes_of(access->target_count, access->target_type, access->site);
  check_lengths(access, head.bytes);
  check(access, target, &layout);
  if (access->kind == ACCESS_ACCUMULATE || access->kind == ACCESS_GET_ACCUMULATE) {
    head.element = (unsigned char)element_of(layout.base, access->op, access->site);
    head.op = (unsigned char)access->op;
  }
  mpi_enter(window, access->target, access->site);
  int is_between_fences = window->is_fenced && target->lock == NOT_LOCKED && !target->is_started;
  head.fence = is_between_fences ? (unsigned char)(1 + window->num_fences % 255) : 0;
  long *runs = runs_of(&layout, &head, access->site);
  struct packed data = sent(access), packed = {access->result, head.bytes};
  int is_packed = access->result && mpi_is_derived(access->result_type);
  if (is_packed) packed = mpi_space(access->result_count, access->result_type, access->site);
  struct asked asked = mpi_ask(window, access->target, &head, runs, data.data, data.bytes, packed.data, access->result ? packed.bytes : 0,
                               access->site);
  if (data.data != access->data) free(data.data);
  free(runs);
  // The response of an access that the program itself waits for confirms no write before it.
  if (!access->result) target->is_unconfirmed = access->target != window->rank;
  if (access->result && is_open) target->is_unconfirmed = 0;
  if (is_packed) asked.response = kept(access, packed, asked.response);
  int has_response = asked.response != MPI_REQUEST_NULL;
  if (is_open && has_response) mpi_add_open(window, access->target, asked.response, access->site);
  if (has_response || is_open) mpi_add_open(window, access->target, asked.sent, access->site);
  return has_response ? asked.response : asked.sent;
}

static int call_now(struct access access, MPI_Request *request) {
  MPI_Request begun = begin(&access, request == 0);
  if (request) *request = begun;
  return MPI_SUCCESS;
}

#define TAKES(...) __VA_ARGS__
// A function, and its form with a request.
#define FORMS(NAME, WITH_REQUEST, PARAMETERS, ...)                                    \
  int MPI_##NAME(PARAMETERS MPI_Win window) {                                         \
    return call_now((struct access){.window = window, .site = SITE, __VA_ARGS__}, 0); \
  }                                                                                   \
  int MPI_##WITH_REQUEST(PARAMETERS MPI_Win window, MPI_Request *request) {           \
    return call_now((struct access){.window = window, .site = SITE, __VA_ARGS__}, request); \
  }

#define AT TAKES(int target, MPI_Aint place, int target_count, MPI_Datatype target_type,)
#define AT_FIELDS .target = target, .place = place, .target_count = target_count, .target_type = target_type
#define DATA_FIELDS .data = data, .count = count, .type = type
#define RESULT_FIELDS .result = result, .result_count = result_count, .result_type = result_type

FORMS(Put, Rput, TAKES(const void *data, int count, MPI_Datatype type,) AT, DATA_FIELDS, AT_FIELDS, .kind = ACCESS_PUT, .op = MPI_REPLACE)
FORMS(Get, Rget, TAKES(void *result, int result_count, MPI_Datatype result_type,) AT, RESULT_FIELDS, AT_FIELDS, .kind = ACCESS_GET,
      .op = MPI_NO_OP)
FORMS(Accumulate, Raccumulate, TAKES(const void *data, int count, MPI_Datatype type,) AT TAKES(MPI_Op op,), DATA_FIELDS, AT_FIELDS,
      .kind = ACCESS_ACCUMULATE, .op = op)
FORMS(Get_accumulate, Rget_accumulate,
      TAKES(const void *data, int count, MPI_Datatype type, void *result, int result_count, MPI_Datatype result_type,) AT TAKES(MPI_Op op,),
      DATA_FIELDS, RESULT_FIELDS, AT_FIELDS, .kind = ACCESS_GET_ACCUMULATE, .op = op)

#define ONE_FIELDS \
  .data = data, .result = result, .count = 1, .result_count = 1, .target_count = 1, .type = type, .result_type = type, \
  .target_type = type, .target = target, .place = place, .window = window, .site = SITE

int MPI_Fetch_and_op(const void *data, void *result, MPI_Datatype type, int target, MPI_Aint place, MPI_Op op, MPI_Win window) {
  return call_now((struct access){.kind = ACCESS_GET_ACCUMULATE, .op = op, ONE_FIELDS}, 0);
}

int MPI_Compare_and_swap(const void *data, const void *compared, void *result, MPI_Datatype type, int target, MPI_Aint place,
                         MPI_Win window) {
  return call_now((struct access){.kind = ACCESS_SWAP, .op = MPI_REPLACE, .compared = compared, ONE_FIELDS}, 0);
}
