// SPDX-License-Identifier: Apache-2.0
// Records what the ranks of an MPI program call, for `noccl run messages`: wrappers by MPI's profiling interface.
//
//     mpicc -O2 -fPIC -shared noccl_recorder.c -o libnoccl_recorder.so
//     mpiexec -n 16 env LD_PRELOAD=./libnoccl_recorder.so ./solver
//
// or linked: mpicc solver.c noccl_recorder.c -o solver. The file appears in MPI_Finalize: solver.messages if NOCCL_MESSAGES says
// so, else program.messages. Times between calls are those that the rank's thread computed; NOCCL_MESSAGES_CLOCK=wall counts all time.
// Form of the file, and what each record means: docs/formats/messages.md.
#define _GNU_SOURCE
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FORMAT_VERSION 1
#define MOST_TIME (UINT64_C(1) << 36)
#define PIECE_BYTES (1 << 20)
// The first two are all ranks and the rank alone.
#define FIRST_COMM 2

enum kind { COMPUTE, SEND, SSEND, ISEND, ISSEND, RECV, IRECV, TEXT, REMOVED };
static const char *const kind_names[] = {"compute", "send", "ssend", "isend", "issend", "recv", "irecv"};

struct record {
  enum kind kind;
  int comm, other, tag, is_any, request;
  uint64_t number;  // bytes of a message, time of a computation
  char *text;       // of all others
};

struct comm {
  MPI_Comm comm;
  int number;
};

struct request {
  MPI_Request handle;
  size_t record;  // of a message that is under way
  int number, is_active, is_persistent;
  enum kind kind;
  int comm, other, tag;
  uint64_t bytes;
};

// A message that a probe has taken out, and that is received by its own call.
struct taken {
  MPI_Message message;
  MPI_Comm comm;
  int is_any;
};

static struct record *records;
static size_t num_records, most_records;
static struct comm *comms;
static size_t num_comms, most_comms;
static struct request *requests;
static size_t num_requests, most_requests;
static struct taken *taken;
static size_t num_taken, most_taken;
static int next_comm = FIRST_COMM, next_request, own_rank, num_ranks;
static MPI_Comm private_comm;
static clockid_t used_clock = CLOCK_THREAD_CPUTIME_ID;
static uint64_t left_at, gap;
static int is_on;

static void refuse(const char *found, const char *accepted) {
  fprintf(stderr, "noccl_recorder: %s; accepted: %s\n", found, accepted);
  PMPI_Abort(MPI_COMM_WORLD, 2);
  _exit(2);
}

static void *grown(void *items, size_t count, size_t *most, size_t bytes) {
  if (count < *most) return items;
  *most = *most ? 2 * *most : 64;
  items = realloc(items, *most * bytes);
  if (!items) refuse("no memory for the trace", "shorter runs");
  return items;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(used_clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The time since the call before is the program's.
static void enter(void) {
  if (is_on) gap += now() - left_at;
}

static int leave(int code) {
  if (is_on) left_at = now();
  return code;
}

static struct record *append(enum kind kind) {
  records = grown(records, num_records, &most_records, sizeof *records);
  struct record *record = &records[num_records++];
  *record = (struct record){.kind = kind, .request = -1};
  return record;
}

// A record behind the computation before it.
static struct record *push(enum kind kind) {
  while (gap) {
    uint64_t time = gap < MOST_TIME ? gap : MOST_TIME;
    append(COMPUTE)->number = time;
    gap -= time;
  }
  return append(kind);
}

// The text of a record that grows while it is made.
static char *line;
static size_t line_bytes, most_line;

static void begin_line(const char *word) {
  line_bytes = 0;
  line = grown(line, strlen(word), &most_line, 1);
  strcpy(line, word);
  line_bytes = strlen(word);
}

static void add_word(const char *word) {
  while (line_bytes + strlen(word) + 2 > most_line) line = grown(line, most_line, &most_line, 1);
  line[line_bytes++] = ' ';
  strcpy(line + line_bytes, word);
  line_bytes += strlen(word);
}

static void add_number(uint64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%" PRIu64, number);
  add_word(digits);
}

static void end_line(void) {
  struct record *record = push(TEXT);
  record->text = strdup(line);
  if (!record->text) refuse("no memory for the trace", "shorter runs");
}

static uint64_t bytes_of(uint64_t count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return count * (uint64_t)size;
}

static int comm_number(MPI_Comm comm) {
  for (size_t index = num_comms; index-- > 0;)
    if (comms[index].comm == comm) return comms[index].number;
  refuse("a communicator whose making was not recorded", "Comm_split, Comm_dup, Comm_create, Cart_create and their results");
  return -1;
}

static int comm_size(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

static void add_comm(MPI_Comm comm, int number) {
  comms = grown(comms, num_comms, &most_comms, sizeof *comms);
  comms[num_comms++] = (struct comm){comm, number};
}

// All ranks of `parent` have made communicators of a part of them.
static void record_made(int parent, MPI_Comm made) {
  begin_line("split");
  add_number((uint64_t)parent);
  if (made == MPI_COMM_NULL) {
    add_word("-");
    end_line();
    return;
  }
  MPI_Group world, group;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(made, &group);
  add_number((uint64_t)next_comm);
  for (int member = 0; member < comm_size(made); member++) {
    int rank;
    PMPI_Group_translate_ranks(group, 1, &member, world, &rank);
    add_number((uint64_t)rank);
  }
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  end_line();
  add_comm(made, next_comm++);
}

static void record_message(enum kind kind, MPI_Comm comm, int other, int tag, uint64_t bytes) {
  struct record *record = push(kind);
  record->comm = comm_number(comm);
  record->other = other;
  record->tag = tag;
  record->number = bytes;
}

// What a receive has got.
static void fill(struct record *record, MPI_Status *status) {
  int bytes = 0;
  PMPI_Get_count(status, MPI_BYTE, &bytes);
  record->other = status->MPI_SOURCE;
  record->tag = status->MPI_TAG;
  record->number = (uint64_t)bytes;
}

static struct request *new_request(MPI_Request handle, enum kind kind, MPI_Comm comm, int other, int tag, uint64_t bytes) {
  size_t index = 0;
  while (index < num_requests && (requests[index].is_active || requests[index].is_persistent)) index++;
  if (index == num_requests) {
    requests = grown(requests, num_requests, &most_requests, sizeof *requests);
    num_requests++;
  }
  requests[index] = (struct request){.handle = handle, .kind = kind, .comm = comm_number(comm), .other = other, .tag = tag, .bytes = bytes};
  return &requests[index];
}

// A message gets under way.
static void start(struct request *request) {
  if (request->other == MPI_PROC_NULL) return;
  request->number = next_request++;
  request->is_active = 1;
  struct record *record = push(request->kind);
  record->comm = request->comm;
  record->other = request->other;
  record->tag = request->tag;
  record->number = request->bytes;
  record->request = request->number;
  record->is_any = request->kind == IRECV && request->other == MPI_ANY_SOURCE;
  request->record = num_records - 1;
}

static void begin(MPI_Request handle, enum kind kind, MPI_Comm comm, int other, int tag, uint64_t bytes) {
  if (other != MPI_PROC_NULL) start(new_request(handle, kind, comm, other, tag, bytes));
}

// Requests of short sends may share a handle: the one that began first is meant.
static struct request *find_request(MPI_Request handle, int is_active) {
  struct request *found = 0;
  for (size_t index = 0; index < num_requests; index++) {
    struct request *request = &requests[index];
    int is_it = request->handle == handle && (is_active ? request->is_active : request->is_persistent);
    if (is_it && (!found || request->number < found->number)) found = request;
  }
  return found;
}

static void take_out(MPI_Message message, MPI_Comm comm, int from) {
  if (message == MPI_MESSAGE_NO_PROC || message == MPI_MESSAGE_NULL) return;
  taken = grown(taken, num_taken, &most_taken, sizeof *taken);
  taken[num_taken++] = (struct taken){message, comm, from == MPI_ANY_SOURCE};
}

// What a probe has noted of a message; false for one of MPI_PROC_NULL.
static int find_taken(MPI_Message message, struct taken *found) {
  for (size_t index = 0; index < num_taken; index++) {
    if (taken[index].message != message) continue;
    *found = taken[index];
    taken[index] = taken[--num_taken];
    return 1;
  }
  return 0;
}

static int num_waited;

// A request is over: a word of the wait that is being recorded.
static void add_over(MPI_Request handle, MPI_Status *status) {
  struct request *request = handle == MPI_REQUEST_NULL ? 0 : find_request(handle, 1);
  if (!request) return;
  request->is_active = 0;
  struct record *record = &records[request->record];
  int is_cancelled = 0;
  PMPI_Test_cancelled(status, &is_cancelled);
  if (is_cancelled) {
    record->kind = REMOVED;
    return;
  }
  if (request->kind == IRECV) fill(record, status);
  if (!num_waited++) begin_line("wait");
  add_number((uint64_t)request->number);
}

static void end_over(void) {
  if (num_waited) end_line();
  num_waited = 0;
}

// Handles before a call, which may set them to null, and a place for statuses that the program does not want.
static MPI_Request *handles;
static MPI_Status *own_statuses;
static size_t most_handles, most_statuses;

static MPI_Status *keep(int count, const MPI_Request *all, MPI_Status *statuses) {
  for (int index = 0; index < count; index++) {
    handles = grown(handles, (size_t)index, &most_handles, sizeof *handles);
    own_statuses = grown(own_statuses, (size_t)index, &most_statuses, sizeof *own_statuses);
    handles[index] = all[index];
  }
  return statuses == MPI_STATUSES_IGNORE ? own_statuses : statuses;
}

static const char *operator_name(MPI_Op op) {
  if (op == MPI_SUM) return "sum";
  if (op == MPI_MIN) return "min";
  if (op == MPI_MAX) return "max";
  if (op == MPI_BAND) return "and";
  if (op == MPI_BOR) return "or";
  return "other";
}

// The element type with the same additions; 0 if there is none.
static const char *element_name(MPI_Datatype type) {
  int integers, addresses, types, combiner, size = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) return 0;
  if (type == MPI_DOUBLE) return "fp64";
  if (type == MPI_FLOAT) return "fp32";
  if (type == MPI_LONG_DOUBLE || type == MPI_C_FLOAT_COMPLEX || type == MPI_C_DOUBLE_COMPLEX || type == MPI_C_LONG_DOUBLE_COMPLEX ||
      type == MPI_FLOAT_INT || type == MPI_DOUBLE_INT || type == MPI_LONG_INT || type == MPI_2INT || type == MPI_SHORT_INT ||
      type == MPI_LONG_DOUBLE_INT)
    return 0;
  PMPI_Type_size(type, &size);
  return size == 1 ? "int8" : size == 2 ? "int16" : size == 4 ? "int32" : size == 8 ? "int64" : 0;
}

static void begin_collective(const char *name, MPI_Comm comm) {
  begin_line(name);
  add_number((uint64_t)comm_number(comm));
}

static void add_fold(MPI_Op op, MPI_Datatype type) {
  const char *element = element_name(type);
  add_word(element ? operator_name(op) : "other");
  add_word(element ? element : "int8");
}

static int rank_in(MPI_Comm comm) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

static void begin_recording(void) {
  const char *clock = getenv("NOCCL_MESSAGES_CLOCK");
  if (clock && !strcmp(clock, "wall")) {
    used_clock = CLOCK_MONOTONIC;
  } else if (clock && strcmp(clock, "thread")) {
    refuse("NOCCL_MESSAGES_CLOCK", "thread, wall");
  }
  PMPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_dup(MPI_COMM_WORLD, &private_comm);
  add_comm(MPI_COMM_WORLD, 0);
  add_comm(MPI_COMM_SELF, 1);
  is_on = 1;
  left_at = now();
}

int MPI_Init(int *argc, char ***argv) {
  int code = PMPI_Init(argc, argv);
  begin_recording();
  return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  // Calls of several threads at a time have no order that could be replayed.
  if (required > MPI_THREAD_SERIALIZED) required = MPI_THREAD_SERIALIZED;
  int code = PMPI_Init_thread(argc, argv, required, provided);
  begin_recording();
  return code;
}

// The section of this rank as text.
static char *section(size_t *bytes) {
  char *text = 0;
  size_t written = 0;
  FILE *out = open_memstream(&text, bytes);
  if (!out) refuse("no memory for the trace", "shorter runs");
  fprintf(out, "rank %d\n", own_rank);
  for (size_t index = 0; index < num_records; index++) {
    struct record *record = &records[index];
    if (record->kind == REMOVED) continue;
    written++;
    if (record->kind == TEXT) {
      fprintf(out, "%s\n", record->text);
    } else if (record->kind == COMPUTE) {
      fprintf(out, "compute %" PRIu64 "\n", record->number);
    } else {
      fprintf(out, "%s %d %d %d %" PRIu64, kind_names[record->kind], record->comm, record->other, record->tag, record->number);
      if (record->request >= 0) fprintf(out, " %d", record->request);
      fprintf(out, "%s\n", record->is_any ? " any" : "");
    }
  }
  fprintf(out, "end %zu\n", written);
  fclose(out);
  if (!text) refuse("no memory for the trace", "shorter runs");
  return text;
}

static void write_all(FILE *out, const char *text, size_t bytes) {
  if (fwrite(text, 1, bytes, out) != bytes) refuse("the trace cannot be written", "a place with space, NOCCL_MESSAGES");
}

// Rank 0 writes the file, one section after the other.
static void write_file(const char *text, size_t bytes) {
  if (own_rank) {
    unsigned long long length = bytes;
    PMPI_Send(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, 0, private_comm);
    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
      int piece = bytes - at < PIECE_BYTES ? (int)(bytes - at) : PIECE_BYTES;
      PMPI_Send(text + at, piece, MPI_BYTE, 0, 0, private_comm);
    }
    return;
  }
  const char *place = getenv("NOCCL_MESSAGES");
  if (!place) place = "program.messages";
  char partial[4096], library[MPI_MAX_LIBRARY_VERSION_STRING];
  if (snprintf(partial, sizeof partial, "%s.partial", place) >= (int)sizeof partial) refuse("NOCCL_MESSAGES", "a shorter path");
  FILE *out = fopen(partial, "w");
  if (!out) refuse("the trace cannot be written", "a folder that one may write to, NOCCL_MESSAGES");
  int length = 0;
  PMPI_Get_library_version(library, &length);
  library[strcspn(library, "\n")] = 0;
  fprintf(out, "noccl-messages %d\nranks %d\nunit ns\nsource", FORMAT_VERSION, num_ranks);
  for (char *word = strtok(library, " \t\r"); word; word = strtok(0, " \t\r")) fprintf(out, " %s", word);
  fprintf(out, "\n");
  write_all(out, text, bytes);
  char *piece = malloc(PIECE_BYTES);
  if (!piece) refuse("no memory for the trace", "shorter runs");
  for (int rank = 1; rank < num_ranks; rank++) {
    unsigned long long left = 0;
    PMPI_Recv(&left, 1, MPI_UNSIGNED_LONG_LONG, rank, 0, private_comm, MPI_STATUS_IGNORE);
    while (left) {
      int now_bytes = left < PIECE_BYTES ? (int)left : PIECE_BYTES;
      PMPI_Recv(piece, now_bytes, MPI_BYTE, rank, 0, private_comm, MPI_STATUS_IGNORE);
      write_all(out, piece, (size_t)now_bytes);
      left -= (unsigned)now_bytes;
    }
  }
  free(piece);
  if (fclose(out) || rename(partial, place)) refuse("the trace cannot be written", "a place with space, NOCCL_MESSAGES");
}

int MPI_Finalize(void) {
  enter();
  // Sends whose requests were freed are over now; receives that nobody waited for got nothing that is known.
  for (size_t index = 0; index < num_requests; index++) {
    struct request *request = &requests[index];
    if (!request->is_active) continue;
    if (request->kind == IRECV) {
      records[request->record].kind = REMOVED;
      continue;
    }
    if (!num_waited++) begin_line("wait");
    add_number((uint64_t)request->number);
  }
  end_over();
  if (gap) push(REMOVED);
  size_t bytes = 0;
  char *text = section(&bytes);
  write_file(text, bytes);
  free(text);
  PMPI_Comm_free(&private_comm);
  is_on = 0;
  return PMPI_Finalize();
}

#define REFUSE(NAME, ARGUMENTS, WHAT)                                                                     \
  int NAME ARGUMENTS {                                                                                     \
    refuse(#NAME, WHAT);                                                                                   \
    return MPI_ERR_UNSUPPORTED_OPERATION;                                                                  \
  }

// With counts of int, and with those of MPI 4.
#define COUNT int
#define DISPLACEMENT int
#define CALL(NAME) MPI_##NAME
#define REAL(NAME) PMPI_##NAME
#include "noccl_recorder_calls.h"
#undef COUNT
#undef DISPLACEMENT
#undef CALL
#undef REAL
#if MPI_VERSION >= 4
#define COUNT MPI_Count
#define DISPLACEMENT MPI_Aint
#define CALL(NAME) MPI_##NAME##_c
#define REAL(NAME) PMPI_##NAME##_c
#include "noccl_recorder_calls.h"
#endif
#include "noccl_recorder_others.h"
