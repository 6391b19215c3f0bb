// SPDX-License-Identifier: Apache-2.0
// Windows over calls: how they are made, and messages to the libraries of their ranks.

#include "windows.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"

static struct window **windows;
static int num_windows;

struct window *mpi_window(MPI_Win number, long site) {
  if (number < 0 || number >= num_windows || !windows[number]) mpi_refuse("a window that there is not, or no more", site);
  return windows[number];
}

struct target *mpi_target(struct window *window, int rank, long site) {
  if (rank < 0 || rank >= window->size) mpi_refuse("a rank that the window does not have", site);
  return &window->targets[rank];
}

int mpi_member(MPI_Comm comm, int rank, long site);

// Collective: a communicator of its own, since fences are in no order with the collectives of the other one.
static int make(struct window made, MPI_Aint bytes, int unit, MPI_Comm comm, MPI_Win *number, long site) {
  if (bytes < 0 || unit < 1) mpi_refuse("a window of a negative size or a unit below 1", site);
  struct group in = mpi_group_of(comm, site);
  MPI_Comm_split(comm, 0, (int)in.rank, &made.comm);
  made.number = mpi_comm_number(made.comm, site);
  made.rank = in.rank;
  made.size = in.size;
  made.ended = MPI_REQUEST_NULL;
  made.targets = mpi_space_for(in.size * (long)sizeof *made.targets, site);
  call(CALL_EXPOSE, (long)made.memory, bytes, made.number, 0, 0, 0, site);
  long own[2] = {bytes, unit}, *all = mpi_space_for(2 * in.size * (long)sizeof *all, site);
  MPI_Allgather(own, 2, MPI_LONG, all, 2, MPI_LONG, made.comm);
  for (int i = 0; i < in.size; i++)
    made.targets[i] = (struct target){.bytes = all[2 * i], .unit = all[2 * i + 1], .world = mpi_member(comm, i, site),
                                      .post = MPI_REQUEST_NULL};
  free(all);
  struct window **more = realloc(windows, (size_t)(num_windows + 1) * sizeof *more), *copy = mpi_space_for(sizeof *copy, site);
  if (!more) mpi_refuse("no memory for a window", site);
  windows = more;
  *copy = made;
  windows[num_windows] = copy;
  *number = num_windows++;
  return MPI_SUCCESS;
}

int MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window) {
  (void)info;
  return make((struct window){.memory = memory, .flavor = MPI_WIN_FLAVOR_CREATE}, bytes, unit, comm, window, SITE);
}

static int allocate(MPI_Aint bytes, int unit, MPI_Comm comm, void *memory, int flavor, MPI_Win *window, long site) {
  void *made = calloc(1, (size_t)bytes + 1);
  if (!made) mpi_refuse("no memory for a window; accepted: fewer bytes, or a larger --program-memory", site);
  *(void **)memory = made;
  return make((struct window){.memory = made, .flavor = flavor, .is_allocated = 1}, bytes, unit, comm, window, site);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window) {
  (void)info;
  return allocate(bytes, unit, comm, memory, MPI_WIN_FLAVOR_ALLOCATE, window, SITE);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window) {
  (void)info;
  if (mpi_group_of(comm, SITE).size > 1)
    mpi_refuse("MPI_Win_allocate_shared of several ranks, whose tiles share no memory; accepted: MPI_COMM_SELF, MPI_Win_allocate", SITE);
  return allocate(bytes, unit, comm, memory, MPI_WIN_FLAVOR_SHARED, window, SITE);
}

int MPI_Win_shared_query(MPI_Win number, int rank, MPI_Aint *bytes, int *unit, void *memory) {
  struct window *window = mpi_window(number, SITE);
  const struct target *target = mpi_target(window, rank == MPI_PROC_NULL ? 0 : rank, SITE);
  int is_own = target == &window->targets[window->rank] && (rank != MPI_PROC_NULL || window->size == 1);
  *bytes = is_own ? target->bytes : 0;
  *unit = is_own ? (int)target->unit : 1;
  *(void **)memory = is_own ? window->memory : 0;
  return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *number) {
  struct window *window = mpi_window(*number, SITE);
  mpi_complete_all(window, CARRIED_OUT, SITE);
  MPI_Barrier(window->comm);
  int error = mpi_attributes_end ? mpi_attributes_end(OF_WIN, *number, SITE) : MPI_SUCCESS;
  if (error) return error;
  call(CALL_EXPOSE, 0, -1, window->number, 0, 0, 0, SITE);
  MPI_Comm_free(&window->comm);
  if (window->is_allocated) free(window->memory);
  free(window->targets);
  free(window->open);
  free(window->open_targets);
  free(window);
  windows[*number] = 0;
  *number = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

int MPI_Win_get_attr(MPI_Win number, int key, void *value, int *flag) {
  static int flavor, model = MPI_WIN_UNIFIED, unit;
  static MPI_Aint bytes;
  struct window *window = mpi_window(number, SITE);
  if (key >= FIRST_KEY && mpi_attribute_get) return mpi_attribute_get(OF_WIN, number, key, value, flag);
  flavor = window->flavor;
  bytes = window->targets[window->rank].bytes;
  unit = (int)window->targets[window->rank].unit;
  void *const values[] = {window->memory, &bytes, &unit, &flavor, &model};
  *flag = key >= MPI_WIN_BASE && key <= MPI_WIN_MODEL;
  if (*flag) *(void **)value = values[key - MPI_WIN_BASE];
  return MPI_SUCCESS;
}

int MPI_Win_get_group(MPI_Win window, MPI_Group *group) { return MPI_Comm_group(mpi_window(window, SITE)->comm, group); }

int MPI_Win_set_name(MPI_Win window, const char *name) { return MPI_Comm_set_name(mpi_window(window, SITE)->comm, name); }

int MPI_Win_get_name(MPI_Win window, char *name, int *length) {
  return MPI_Comm_get_name(mpi_window(window, SITE)->comm, name, length);
}

int MPI_Win_set_info(MPI_Win window, MPI_Info info) { return MPI_Comm_set_info(mpi_window(window, SITE)->comm, info); }

int MPI_Win_get_info(MPI_Win window, MPI_Info *info) { return MPI_Comm_get_info(mpi_window(window, SITE)->comm, info); }

static long tag_of(const struct window *window, long kind) { return ACCESS_TAG + 4 * window->number + kind; }

// A message: its head, the runs, and the data.
static char *message_of(const struct head *head, const void *described, const void *data, long bytes, long *length, long site) {
  *length = (long)sizeof *head + head->described + bytes;
  char *message = mpi_space_for(*length, site);
  memcpy(message, head, sizeof *head);
  if (head->described) memcpy(message + sizeof *head, described, head->described);
  if (bytes) memcpy(message + sizeof *head + head->described, data, (size_t)bytes);
  return message;
}

static int has_response(int kind) {
  return kind == ACCESS_GET || kind == ACCESS_GET_ACCUMULATE || kind == ACCESS_SWAP || kind == ACCESS_FLUSH || kind == ACCESS_UNLOCK ||
         kind == ACCESS_LOCK;
}

struct asked mpi_ask(struct window *window, int rank, const struct head *given, const void *described, const void *data, long bytes,
                     void *buffer, long buffer_bytes, long site) {
  struct head head = *given;
  head.window = (unsigned)window->number;
  head.site = (unsigned)site;
  struct target *target = &window->targets[rank];
  long length;
  char *message = message_of(&head, described, data, bytes, &length, site);
  struct asked asked = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (rank == window->rank) {
    asked.response = (int)call(CALL_ACCESS, (long)message, length, (long)buffer, buffer_bytes, 0, 0, site);
  } else {
    if (has_response(head.kind)) {
      long tag = tag_of(window, head.kind == ACCESS_LOCK ? GRANT_TAG : RESPONSE_TAG);
      asked.response = mpi_begin_receive(buffer, buffer_bytes, target->world, tag, 0, site);
    }
    asked.sent = mpi_begin_send(message, length, target->world, ACCESS_TAG, 0, site);
  }
  free(message);
  return asked;
}

void mpi_add_open(struct window *window, int rank, MPI_Request request, long site) {
  if (request == MPI_REQUEST_NULL) return;
  if (window->num_open == window->most_open) {
    window->most_open = 2 * window->most_open + 8;
    window->open = realloc(window->open, (size_t)window->most_open * sizeof *window->open);
    window->open_targets = realloc(window->open_targets, (size_t)window->most_open * sizeof *window->open_targets);
    if (!window->open || !window->open_targets) mpi_refuse("no memory for the accesses of a window", site);
  }
  window->open[window->num_open] = request;
  window->open_targets[window->num_open++] = rank;
}

// Waits for the open requests of a rank, or of all if it is negative.
static void wait_for_open(struct window *window, int rank, long site) {
  MPI_Request *waited = mpi_space_for(window->num_open * (long)sizeof *waited, site);
  int count = 0, kept = 0;
  for (int i = 0; i < window->num_open; i++) {
    if (rank < 0 || window->open_targets[i] == rank) {
      waited[count++] = window->open[i];
    } else {
      window->open[kept] = window->open[i];
      window->open_targets[kept++] = window->open_targets[i];
    }
  }
  window->num_open = kept;
  mpi_kept_Waitall(count, waited, MPI_STATUSES_IGNORE);
  free(waited);
}

// Messages of a rank to another one are carried out in their order: a response to the last one is one to all.
static void confirm(struct window *window, int rank, long site) {
  if (!window->targets[rank].is_unconfirmed) return;
  struct head head = {.kind = ACCESS_FLUSH};
  struct asked asked = mpi_ask(window, rank, &head, 0, 0, 0, 0, 0, site);
  mpi_add_open(window, rank, asked.sent, site);
  mpi_add_open(window, rank, asked.response, site);
  window->targets[rank].is_unconfirmed = 0;
}

void mpi_complete(struct window *window, int rank, enum end end, long site) {
  if (end == CARRIED_OUT) confirm(window, rank, site);
  wait_for_open(window, rank, site);
}

void mpi_complete_all(struct window *window, enum end end, long site) {
  for (int rank = 0; end == CARRIED_OUT && rank < window->size; rank++) confirm(window, rank, site);
  wait_for_open(window, -1, site);
}
