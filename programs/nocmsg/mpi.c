// SPDX-License-Identifier: Apache-2.0
// MPI over the message library: an envelope of tag and length before the data of each message.

#include "mpi.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noccl.h"
#include "nocmsg.h"

#define CLOCK_HZ 700e6

static const unsigned long sizes[] = {1, 1, 4, 8, 4, 4, 8};

static size_t bytes_of(int count, MPI_Datatype type) { return (size_t)count * sizes[type]; }

static void wrong(const char *what) {
  printf("rank %d: %s\n", nm_rank(), what);
  abort();
}

int MPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  nm_init();
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  nm_barrier();
  nm_print_counts();
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  exit(code);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  (void)comm;
  *rank = nm_rank();
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  (void)comm;
  *size = nm_ranks();
  return MPI_SUCCESS;
}

double MPI_Wtime(void) { return (double)noccl_cycle() / CLOCK_HZ; }

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  (void)comm;
  if (to == MPI_PROC_NULL) return MPI_SUCCESS;
  if (to < 0 || to >= nm_ranks()) wrong("MPI_Send to a rank that there is not");
  uint32_t envelope[2] = {(uint32_t)tag, (uint32_t)bytes_of(count, type)};
  nm_send_envelope(to, envelope, data, envelope[1]);
  return MPI_SUCCESS;
}

// A unit is the first one of a message that has begun, or one that follows. Which it is follows from the units of its rank before
// it, so messages are put together by rank, in the order in which they come.
struct message {
  struct message *next;
  int rank;
  uint32_t tag, bytes, come;
  char data[];
};

static struct message *messages, *last_message;

static void append_message(struct message *message) {
  message->next = 0;
  if (last_message) {
    last_message->next = message;
  } else {
    messages = message;
  }
  last_message = message;
}

// The message of a rank that has begun and not ended; its units follow each other.
static struct message *open_message(int rank) {
  for (struct message *message = messages; message; message = message->next)
    if (message->rank == rank && message->come < message->bytes) return message;
  return 0;
}

static void take_unit(struct nm_unit *unit) {
  struct message *message = open_message(unit->rank);
  const char *data = (const char *)unit->data;
  uint32_t bytes = 4 * unit->words;
  if (!message) {
    message = malloc(sizeof *message + unit->data[1] + 4);
    assert(message && "memory for messages that come early");
    message->rank = unit->rank;
    message->tag = unit->data[0];
    message->bytes = unit->data[1];
    message->come = 0;
    append_message(message);
    data += 8;
    bytes -= 8;
  }
  uint32_t left = message->bytes - message->come;
  if (bytes > left) bytes = left;
  memcpy(message->data + message->come, data, bytes);
  message->come += bytes;
  free(unit);
}

static struct message *find(int from, int tag) {
  struct message *before = 0;
  for (struct message *message = messages; message; before = message, message = message->next) {
    int is_it = (from == MPI_ANY_SOURCE || message->rank == from) && (tag == MPI_ANY_TAG || message->tag == (uint32_t)tag);
    if (!is_it) continue;
    // The first that fits has to be complete: those behind it may not pass it.
    if (message->come < message->bytes) return 0;
    if (before) {
      before->next = message->next;
    } else {
      messages = message->next;
    }
    if (last_message == message) last_message = before;
    return message;
  }
  return 0;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  (void)comm;
  if (from == MPI_PROC_NULL) {
    if (status) *status = (MPI_Status){MPI_PROC_NULL, MPI_ANY_TAG, 0, 0};
    return MPI_SUCCESS;
  }
  if (from != MPI_ANY_SOURCE && (from < 0 || from >= nm_ranks())) wrong("MPI_Recv from a rank that there is not");
  struct message *message;
  while (!(message = find(from, tag))) take_unit(nm_next_unit(NM_QUEUE_MPI, -1));
  if (message->bytes > bytes_of(count, type)) wrong("MPI_Recv of a message that is longer than its buffer");
  memcpy(data, message->data, message->bytes);
  if (status) *status = (MPI_Status){message->rank, (int)message->tag, 0, message->bytes};
  free(message);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status) {
  MPI_Send(send, send_count, send_type, to, send_tag, comm);
  return MPI_Recv(receive, receive_count, receive_type, from, receive_tag, comm, status);
}

#define MOST_REQUESTS 256

static struct {
  void *data;
  int count, from, tag, is_open;
  MPI_Datatype type;
} requests[MOST_REQUESTS];

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Send(data, count, type, to, tag, comm);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  (void)comm;
  for (int number = 0; number < MOST_REQUESTS; number++) {
    if (requests[number].is_open) continue;
    requests[number].data = data;
    requests[number].count = count;
    requests[number].type = type;
    requests[number].from = from;
    requests[number].tag = tag;
    requests[number].is_open = 1;
    *request = number;
    return MPI_SUCCESS;
  }
  wrong("MPI_Irecv: more than 256 requests are open");
  return 1;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int number = *request;
  if (number == MPI_REQUEST_NULL) return MPI_SUCCESS;
  *request = MPI_REQUEST_NULL;
  requests[number].is_open = 0;
  return MPI_Recv(requests[number].data, requests[number].count, requests[number].type, requests[number].from,
                  requests[number].tag, MPI_COMM_WORLD, status);
}

int MPI_Waitall(int count, MPI_Request *all, MPI_Status *statuses) {
  for (int number = 0; number < count; number++) MPI_Wait(&all[number], statuses ? &statuses[number] : 0);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  *count = (int)(status->count_bytes / sizes[type]);
  return MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm comm) {
  (void)comm;
  nm_barrier();
  return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  (void)comm;
  nm_broadcast(root, data, bytes_of(count, type));
  return MPI_SUCCESS;
}

#define FOLD(NAME, TYPE, EXPRESSION)                                         \
  static void NAME(void *into_, const void *from_, size_t count) {           \
    TYPE *into = into_;                                                      \
    const TYPE *from = from_;                                                \
    for (size_t i = 0; i < count; i++) into[i] = (EXPRESSION);               \
  }
#define FOLDS(TYPE, NAME)                                                    \
  FOLD(sum_##NAME, TYPE, into[i] + from[i])                                  \
  FOLD(prod_##NAME, TYPE, into[i] * from[i])                                 \
  FOLD(min_##NAME, TYPE, from[i] < into[i] ? from[i] : into[i])              \
  FOLD(max_##NAME, TYPE, from[i] > into[i] ? from[i] : into[i])

FOLDS(unsigned char, byte)
FOLDS(int, int)
FOLDS(long, long)
FOLDS(unsigned, unsigned)
FOLDS(float, float)
FOLDS(double, double)

#define OF(NAME) {sum_##NAME, prod_##NAME, min_##NAME, max_##NAME}

// By type and operator.
static nm_fold *const folds[][4] = {OF(byte), OF(byte), OF(int), OF(long), OF(unsigned), OF(float), OF(double)};

int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  (void)comm;
  const void *own = data == MPI_IN_PLACE ? result : data;
  nm_reduce(root, own, result, (size_t)count, sizes[type], folds[type][op]);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)comm;
  const void *own = data == MPI_IN_PLACE ? result : data;
  nm_all_reduce(own, result, (size_t)count, sizes[type], folds[type][op]);
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  (void)comm;
  (void)receive_count;
  (void)receive_type;
  nm_all_to_all(send, receive, bytes_of(send_count, send_type));
  return MPI_SUCCESS;
}
