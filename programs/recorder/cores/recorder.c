// SPDX-License-Identifier: Apache-2.0
// Records what ranks on executed cores call, in the form of docs/formats/messages.md. Times are cycles of the core; those within calls are not
// recorded, nor is the recorder's own work. Each rank prints its section at the end, every line behind PREFIX.
#define NOCCL_RECORDER
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "noccl.h"

#define PREFIX "noccl-messages: "
#define CHUNK 512
#define MOST_REQUESTS 256

enum kind { COMPUTE, SEND, ISEND, RECV, IRECV, WAIT, BARRIER, BCAST, REDUCE, ALLREDUCE, ALLTOALL };

struct record {
  uint8_t kind, is_any, type, op;
  int other, tag, request;
  uint64_t number;
};

static struct chunk {
  struct chunk *next;
  int used;
  struct record records[CHUNK];
} *first, *last;

static uint64_t left_at;
// Messages that are under way, by their requests; where they are none, the next number.
static struct {
  MPI_Request request;
  struct record *record;
} open[MOST_REQUESTS];
static int next_number;
// A symbol of programs whose calls the runtime of programs of ranks carries out: their sends go on while the rank does.
extern char __noccl_calls __attribute__((weak));

static const uint8_t sizes[] = {1, 1, 4, 8, 4, 4, 8, 8};
static const char *const elements[] = {"int8", "int8", "int32", "int64", "int32", "fp32", "fp64", "int64"};
static const char *const operators[] = {"sum", "other", "min", "max"};

static struct record *append(enum kind kind) {
  if (!last || last->used == CHUNK) {
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) {
      printf("noccl recorder: no memory for the trace; accepted: more --program-memory\n");
      abort();
    }
    chunk->next = 0;
    chunk->used = 0;
    if (last) {
      last->next = chunk;
    } else {
      first = chunk;
    }
    last = chunk;
  }
  struct record *record = &last->records[last->used++];
  *record = (struct record){.kind = (uint8_t)kind, .request = -1};
  return record;
}

// The program calls: what it has computed since its last call is recorded.
static void enter(void) {
  uint64_t now = noccl_cycle();
  if (now > left_at) append(COMPUTE)->number = now - left_at;
}

static int leave(int code) {
  left_at = noccl_cycle();
  return code;
}

static uint64_t bytes_of(int count, MPI_Datatype type) { return (uint64_t)count * sizes[type]; }

static void message(enum kind kind, int other, int tag, uint64_t bytes) {
  struct record *record = append(kind);
  record->other = other;
  record->tag = tag;
  record->number = bytes;
}

static void fill(struct record *record, const MPI_Status *status) {
  record->other = status->MPI_SOURCE;
  record->tag = status->MPI_TAG;
  record->number = status->count_bytes;
}

static void collective(enum kind kind, int root, int count, MPI_Datatype type, MPI_Op op) {
  struct record *record = append(kind);
  record->other = root;
  record->number = bytes_of(count, type);
  record->type = (uint8_t)type;
  record->op = (uint8_t)op;
}

static void print_record(const struct record *record) {
  const char *fold_operator = operators[record->op], *element = elements[record->type];
  printf(PREFIX);
  switch (record->kind) {
    case COMPUTE: printf("compute %lu\n", record->number); break;
    case ISEND:
      printf("isend 0 %d %d %lu %d\n", record->other, record->tag, record->number, record->request);
      break;
    case SEND: printf("send 0 %d %d %lu\n", record->other, record->tag, record->number); break;
    case RECV:
      printf("recv 0 %d %d %lu%s\n", record->other, record->tag, record->number, record->is_any ? " any" : "");
      break;
    case IRECV:
      printf("irecv 0 %d %d %lu %d%s\n", record->other, record->tag, record->number, record->request, record->is_any ? " any" : "");
      break;
    case WAIT: printf("wait %d\n", record->request); break;
    case BARRIER: printf("barrier 0\n"); break;
    case BCAST: printf("bcast 0 %d %lu\n", record->other, record->number); break;
    case REDUCE: printf("reduce 0 %d %s %s %lu\n", record->other, fold_operator, element, record->number); break;
    case ALLREDUCE: printf("allreduce 0 %s %s %lu\n", fold_operator, element, record->number); break;
    case ALLTOALL: printf("alltoall 0 %lu\n", record->number); break;
  }
}

// The library prepares itself without a message, so this is computation of the rank.
int noccl_record_Init(int *argc, char ***argv) { return MPI_Init(argc, argv); }

// The library's MPI_Finalize is a barrier.
int noccl_record_Finalize(void) {
  enter();
  append(BARRIER);
  int code = MPI_Finalize(), rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf(PREFIX "rank %d\n", rank);
  unsigned long records = 0;
  for (struct chunk *chunk = first; chunk; chunk = chunk->next)
    for (int index = 0; index < chunk->used; index++, records++) print_record(&chunk->records[index]);
  printf(PREFIX "end %lu\n", records);
  return code;
}

int noccl_record_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  enter();
  if (to != MPI_PROC_NULL) message(SEND, to, tag, bytes_of(count, type));
  return leave(MPI_Send(data, count, type, to, tag, comm));
}

int noccl_record_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (!status) status = &own;
  int code = MPI_Recv(data, count, type, from, tag, comm, status);
  if (from != MPI_PROC_NULL) {
    struct record *record = append(RECV);
    fill(record, status);
    record->is_any = from == MPI_ANY_SOURCE;
  }
  return leave(code);
}

static struct record *begin(enum kind kind, MPI_Request request) {
  struct record *record = append(kind);
  record->request = next_number++;
  for (int index = 0; index < MOST_REQUESTS; index++) {
    if (open[index].record) continue;
    open[index].request = request;
    open[index].record = record;
    return record;
  }
  printf("noccl recorder: more than %d requests are open\n", MOST_REQUESTS);
  abort();
}

int noccl_record_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  enter();
  int code = MPI_Isend(data, count, type, to, tag, comm, request);
  if (to != MPI_PROC_NULL) {
    struct record *record = *request == MPI_REQUEST_NULL ? append(SEND) : begin(ISEND, *request);
    record->other = to;
    record->tag = tag;
    record->number = bytes_of(count, type);
  }
  return leave(code);
}

int noccl_record_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  enter();
  int code = MPI_Irecv(data, count, type, from, tag, comm, request);
  if (from != MPI_PROC_NULL) begin(IRECV, *request)->is_any = from == MPI_ANY_SOURCE;
  return leave(code);
}

static int wait(MPI_Request *request, MPI_Status *status) {
  MPI_Status own;
  if (!status) status = &own;
  MPI_Request waited = *request;
  int code = MPI_Wait(request, status);
  for (int index = 0; waited != MPI_REQUEST_NULL && index < MOST_REQUESTS; index++) {
    struct record *record = open[index].record;
    if (!record || open[index].request != waited) continue;
    open[index].record = 0;
    if (record->kind == IRECV) fill(record, status);
    append(WAIT)->request = record->request;
    break;
  }
  return code;
}

// As the library carries it out: a send, then a receive; of a program of calls both at once.
int noccl_record_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                          int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                          MPI_Status *status) {
  if (!&__noccl_calls) {
    noccl_record_Send(send, send_count, send_type, to, send_tag, comm);
    return noccl_record_Recv(receive, receive_count, receive_type, from, receive_tag, comm, status);
  }
  MPI_Request requests[2];
  noccl_record_Irecv(receive, receive_count, receive_type, from, receive_tag, comm, &requests[0]);
  noccl_record_Isend(send, send_count, send_type, to, send_tag, comm, &requests[1]);
  noccl_record_Wait(&requests[0], status);
  return noccl_record_Wait(&requests[1], MPI_STATUS_IGNORE);
}

int noccl_record_Wait(MPI_Request *request, MPI_Status *status) {
  enter();
  return leave(wait(request, status));
}

int noccl_record_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  enter();
  for (int index = 0; index < count; index++) wait(&requests[index], statuses ? &statuses[index] : 0);
  return leave(MPI_SUCCESS);
}

int noccl_record_Barrier(MPI_Comm comm) {
  enter();
  append(BARRIER);
  return leave(MPI_Barrier(comm));
}

int noccl_record_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  enter();
  collective(BCAST, root, count, type, 0);
  return leave(MPI_Bcast(data, count, type, root, comm));
}

int noccl_record_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  enter();
  collective(REDUCE, root, count, type, op);
  return leave(MPI_Reduce(data, result, count, type, op, root, comm));
}

int noccl_record_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  enter();
  collective(ALLREDUCE, 0, count, type, op);
  return leave(MPI_Allreduce(data, result, count, type, op, comm));
}

int noccl_record_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm) {
  enter();
  collective(ALLTOALL, 0, receive_count, receive_type, 0);
  return leave(MPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm));
}
