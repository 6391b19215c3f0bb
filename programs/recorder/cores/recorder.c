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

enum kind {
  COMPUTE, SEND, RECV, IRECV, WAIT, BARRIER, BCAST, REDUCE, ALLREDUCE, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV,
  ALLTOALL, ALLTOALLV
};
static const char *const names[] = {"compute", "send", "recv", "irecv", "wait", "barrier", "bcast", "reduce", "allreduce",
                                    "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv"};

struct record {
  uint8_t kind, is_any, type, op, comm;
  int other, tag, request;  // the other rank or the root
  uint64_t number;          // bytes, or cycles
  uint32_t *lengths;        // of each rank's block
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

static const uint8_t sizes[] = {1, 1, 4, 8, 4, 4, 8, 8};
static const char *const elements[] = {"int8", "int8", "int32", "int64", "int32", "fp32", "fp64", "int64"};
static const char *const operators[] = {"sum", "other", "min", "max"};

static void no_memory(void) {
  printf("noccl recorder: no memory for the trace; accepted: more --program-memory\n");
  abort();
}

static struct record *append(enum kind kind) {
  if (!last || last->used == CHUNK) {
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) no_memory();
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

static void message(enum kind kind, MPI_Comm comm, int other, int tag, uint64_t bytes) {
  struct record *record = append(kind);
  record->comm = comm == MPI_COMM_SELF;
  record->other = other;
  record->tag = tag;
  record->number = bytes;
}

static void fill(struct record *record, const MPI_Status *status) {
  record->other = status->MPI_SOURCE;
  record->tag = status->MPI_TAG;
  record->number = status->count_bytes;
}

static struct record *collective(enum kind kind, MPI_Comm comm, int root, uint64_t bytes) {
  struct record *record = append(kind);
  record->comm = comm == MPI_COMM_SELF;
  record->other = root;
  record->number = bytes;
  return record;
}

static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static void lengths(struct record *record, MPI_Comm comm, const int *counts, MPI_Datatype type) {
  int size = size_of(comm);
  record->lengths = malloc((size_t)size * sizeof *record->lengths);
  if (!record->lengths) no_memory();
  for (int rank = 0; rank < size; rank++) record->lengths[rank] = (uint32_t)bytes_of(counts[rank], type);
  record->number = (uint64_t)size;
}

static void print_record(const struct record *record) {
  printf(PREFIX "%s", names[record->kind]);
  switch (record->kind) {
    case COMPUTE: printf(" %lu\n", record->number); return;
    case WAIT: printf(" %d\n", record->request); return;
    case SEND:
    case RECV:
    case IRECV:
      printf(" %d %d %d %lu", record->comm, record->other, record->tag, record->number);
      if (record->request >= 0) printf(" %d", record->request);
      printf(record->is_any ? " any\n" : "\n");
      return;
  }
  printf(" %d", record->comm);
  if (record->kind == BCAST || record->kind == REDUCE || (record->kind >= GATHER && record->kind <= SCATTERV)) printf(" %d", record->other);
  if (record->kind == REDUCE || record->kind == ALLREDUCE) printf(" %s %s", operators[record->op], elements[record->type]);
  if (record->lengths) {
    for (uint64_t rank = 0; rank < record->number; rank++) printf(" %u", record->lengths[rank]);
  } else if (record->kind != BARRIER && record->kind != SCATTERV) {
    printf(" %lu", record->number);
  }
  printf("\n");
}

// The library prepares itself without a message, so this is computation of the rank.
int noccl_record_Init(int *argc, char ***argv) { return MPI_Init(argc, argv); }

// The library's MPI_Finalize is a barrier.
int noccl_record_Finalize(void) {
  enter();
  append(BARRIER);
  int code = MPI_Finalize();
  printf(PREFIX "rank %d\n", rank_in(MPI_COMM_WORLD));
  unsigned long records = 0;
  for (struct chunk *chunk = first; chunk; chunk = chunk->next)
    for (int index = 0; index < chunk->used; index++, records++) print_record(&chunk->records[index]);
  printf(PREFIX "end %lu\n", records);
  return code;
}

int noccl_record_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  enter();
  if (to != MPI_PROC_NULL) message(SEND, comm, to, tag, bytes_of(count, type));
  return leave(MPI_Send(data, count, type, to, tag, comm));
}

int noccl_record_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  enter();
  MPI_Status own;
  if (!status) status = &own;
  int code = MPI_Recv(data, count, type, from, tag, comm, status);
  if (from != MPI_PROC_NULL) {
    struct record *record = append(RECV);
    record->comm = comm == MPI_COMM_SELF;
    fill(record, status);
    record->is_any = from == MPI_ANY_SOURCE;
  }
  return leave(code);
}

static struct record *begin(MPI_Request request) {
  struct record *record = append(IRECV);
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
    // It is over when it returns; no wait is recorded.
    struct record *record = append(SEND);
    record->comm = comm == MPI_COMM_SELF;
    record->other = to;
    record->tag = tag;
    record->number = bytes_of(count, type);
  }
  return leave(code);
}

int noccl_record_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  enter();
  int code = MPI_Irecv(data, count, type, from, tag, comm, request);
  if (from != MPI_PROC_NULL) {
    struct record *record = begin(*request);
    record->comm = comm == MPI_COMM_SELF;
    record->is_any = from == MPI_ANY_SOURCE;
  }
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
    fill(record, status);
    append(WAIT)->request = record->request;
    break;
  }
  return code;
}

// As the library carries it out: a send, then a receive.
int noccl_record_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                          int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                          MPI_Status *status) {
  noccl_record_Send(send, send_count, send_type, to, send_tag, comm);
  return noccl_record_Recv(receive, receive_count, receive_type, from, receive_tag, comm, status);
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
  collective(BARRIER, comm, 0, 0);
  return leave(MPI_Barrier(comm));
}

int noccl_record_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  enter();
  collective(BCAST, comm, root, bytes_of(count, type));
  return leave(MPI_Bcast(data, count, type, root, comm));
}

static void fold(enum kind kind, MPI_Comm comm, int root, int count, MPI_Datatype type, MPI_Op op) {
  struct record *record = collective(kind, comm, root, bytes_of(count, type));
  record->type = (uint8_t)type;
  record->op = (uint8_t)op;
}

int noccl_record_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  enter();
  fold(REDUCE, comm, root, count, type, op);
  return leave(MPI_Reduce(data, result, count, type, op, root, comm));
}

int noccl_record_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  enter();
  fold(ALLREDUCE, comm, 0, count, type, op);
  return leave(MPI_Allreduce(data, result, count, type, op, comm));
}

int noccl_record_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                        MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  collective(GATHER, comm, root, send == MPI_IN_PLACE ? bytes_of(receive_count, receive_type) : bytes_of(send_count, send_type));
  return leave(MPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
}

int noccl_record_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                         const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  collective(GATHERV, comm, root, send == MPI_IN_PLACE ? bytes_of(counts[root], receive_type) : bytes_of(send_count, send_type));
  return leave(MPI_Gatherv(send, send_count, send_type, receive, counts, starts, receive_type, root, comm));
}

int noccl_record_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                         MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  collective(SCATTER, comm, root, rank_in(comm) == root ? bytes_of(send_count, send_type) : bytes_of(receive_count, receive_type));
  return leave(MPI_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
}

int noccl_record_Scatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                          int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  enter();
  struct record *record = collective(SCATTERV, comm, root, 0);
  if (rank_in(comm) == root) lengths(record, comm, counts, send_type);
  return leave(MPI_Scatterv(send, counts, starts, send_type, receive, receive_count, receive_type, root, comm));
}

int noccl_record_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm) {
  enter();
  collective(ALLGATHER, comm, 0, bytes_of(receive_count, receive_type));
  return leave(MPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

int noccl_record_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                            const int *starts, MPI_Datatype receive_type, MPI_Comm comm) {
  enter();
  lengths(collective(ALLGATHERV, comm, 0, 0), comm, counts, receive_type);
  return leave(MPI_Allgatherv(send, send_count, send_type, receive, counts, starts, receive_type, comm));
}

int noccl_record_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm) {
  enter();
  collective(ALLTOALL, comm, 0, bytes_of(receive_count, receive_type));
  return leave(MPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

int noccl_record_Alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                           void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                           MPI_Comm comm) {
  enter();
  int is_in_place = send == MPI_IN_PLACE;
  lengths(collective(ALLTOALLV, comm, 0, 0), comm, is_in_place ? receive_counts : send_counts, is_in_place ? receive_type : send_type);
  return leave(MPI_Alltoallv(send, send_counts, send_starts, send_type, receive, receive_counts, receive_starts, receive_type, comm));
}
