// SPDX-License-Identifier: Apache-2.0
// Records what ranks on executed cores call, in the form of docs/formats/messages.md. Times are cycles of the core, those of the message
// library apart (library.c); the recorder's own work is not recorded.
#include "records.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_REQUESTS 256
// Of messages that the queues of a core hold.
#define QUEUE_BYTES 1024

// Messages that are under way, by their requests; where they are none, the next number.
static struct {
  MPI_Request request;
  struct record *record;
} open[MOST_REQUESTS];
static int next_number;

static const uint8_t sizes[] = {1, 1, 4, 8, 4, 4, 8, 8};
static uint64_t bytes_of(int count, MPI_Datatype type) { return (uint64_t)count * sizes[type]; }

static struct record *collective(enum kind kind, MPI_Comm comm, int root, uint64_t bytes) {
  struct record *record = recorder_append(kind);
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
  if (!record->lengths) recorder_no_memory();
  for (int rank = 0; rank < size; rank++) record->lengths[rank] = (uint32_t)bytes_of(counts[rank], type);
  record->number = (uint64_t)size;
}

// As a call that is recorded, with as many registers to save as most.
static __attribute__((noinline)) int call_nothing(MPI_Request *request, MPI_Status *status) {
  recorder_set_edge();
  recorder_begin(0);
  __asm__ volatile("" : : "r"(request), "r"(status) : "memory", "ra", "s0", "s1", "s2", "s3", "s4");
  return recorder_leave(0);
}

// The library prepares itself without a message, so this is computation of the rank.
int noccl_record_Init(int *argc, char ***argv) {
  int code = MPI_Init(argc, argv);
  recorder_enter();
  recorder_begin(0);
  recorder_measure();
  call_nothing(0, 0);
  call_nothing(0, 0);
  return code;
}

// The library's MPI_Finalize is a barrier.
int noccl_record_Finalize(void) {
  recorder_enter();
  recorder_append(BARRIER);
  recorder_begin(1);
  int code = recorder_leave(MPI_Finalize());
  recorder_print(rank_in(MPI_COMM_WORLD));
  return code;
}

static void message(struct record *record, MPI_Comm comm, int other, int tag, uint64_t bytes) {
  record->comm = comm == MPI_COMM_SELF;
  record->other = other;
  record->tag = (uint32_t)tag;
  record->number = bytes;
}

int noccl_record_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  uint64_t bytes = bytes_of(count, type);
  recorder_enter();
  recorder_begin(1);
  int code = MPI_Send(data, count, type, to, tag, comm);
  if (to != MPI_PROC_NULL) {
    struct busy busy = recorder_take_busy();
    recorder_take_off(&busy, recorder_written(bytes));
    recorder_add_busy(busy.ahead + busy.behind);
    message(recorder_append(SEND), comm, to, tag, bytes);
  }
  return recorder_leave(code);
}

// A call in which the rank has waited for a message; of this kind, or none if there was none.
static struct record *received(int is_message, enum kind kind, const MPI_Status *status) {
  if (!is_message) return 0;
  struct busy busy = recorder_take_busy();
  // Of a receive that was begun before, a call that has not waited has read no more than the queues held.
  size_t bytes = status->count_bytes;
  if (kind == WAIT && !busy.behind && bytes > QUEUE_BYTES) bytes = QUEUE_BYTES;
  recorder_take_off(&busy, recorder_read(bytes));
  recorder_add_busy(busy.ahead);
  struct record *record = recorder_append(kind);
  recorder_add_busy(busy.behind);
  return record;
}

int noccl_record_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Status own;
  recorder_enter();
  if (!status) status = &own;
  recorder_begin(1);
  int code = MPI_Recv(data, count, type, from, tag, comm, status);
  struct record *record = received(from != MPI_PROC_NULL, RECV, status);
  if (record) {
    message(record, comm, status->MPI_SOURCE, status->MPI_TAG, status->count_bytes);
    record->is_any = from == MPI_ANY_SOURCE;
  }
  return recorder_leave(code);
}

// It is over when it returns; no wait is recorded.
int noccl_record_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  int code = noccl_record_Send(data, count, type, to, tag, comm);
  MPI_Isend(data, count, type, MPI_PROC_NULL, tag, comm, request);
  return recorder_leave(code);
}

static struct record *open_receive(MPI_Request request) {
  struct record *record = recorder_append(IRECV);
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

int noccl_record_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  recorder_enter();
  recorder_begin(1);
  int code = MPI_Irecv(data, count, type, from, tag, comm, request);
  recorder_flush();
  if (from != MPI_PROC_NULL) {
    struct record *record = open_receive(*request);
    record->comm = comm == MPI_COMM_SELF;
    record->is_any = from == MPI_ANY_SOURCE;
  }
  return recorder_leave(code);
}

// The record of the receive that a request stands for.
static struct record *close_receive(MPI_Request request) {
  for (int index = 0; request != MPI_REQUEST_NULL && index < MOST_REQUESTS; index++) {
    struct record *record = open[index].record;
    if (!record || open[index].request != request) continue;
    open[index].record = 0;
    return record;
  }
  return 0;
}

static int wait(MPI_Request *request, MPI_Status *status) {
  MPI_Status own;
  if (!status) status = &own;
  recorder_enter();
  struct record *receive = close_receive(*request);
  recorder_begin(1);
  int code = MPI_Wait(request, status);
  struct record *record = received(receive != 0, WAIT, status);
  if (record) {
    message(receive, receive->comm, status->MPI_SOURCE, status->MPI_TAG, status->count_bytes);
    record->request = receive->request;
  }
  return recorder_leave(code);
}

// As the library carries it out: the receive is begun, then the send.
int noccl_record_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                          int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                          MPI_Status *status) {
  MPI_Request request;
  noccl_record_Irecv(receive, receive_count, receive_type, from, receive_tag, comm, &request);
  noccl_record_Send(send, send_count, send_type, to, send_tag, comm);
  return wait(&request, status);
}

int noccl_record_Wait(MPI_Request *request, MPI_Status *status) {
  return wait(request, status);
}

int noccl_record_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  for (int index = 0; index < count; index++) wait(&requests[index], statuses ? &statuses[index] : 0);
  return MPI_SUCCESS;
}

int noccl_record_Barrier(MPI_Comm comm) {
  recorder_enter();
  collective(BARRIER, comm, 0, 0);
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Barrier(comm));
}

int noccl_record_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  recorder_enter();
  collective(BCAST, comm, root, bytes_of(count, type));
  recorder_set_root(root);
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Bcast(data, count, type, root, comm));
}

static void fold(enum kind kind, MPI_Comm comm, int root, int count, MPI_Datatype type, MPI_Op op) {
  struct record *record = collective(kind, comm, root, bytes_of(count, type));
  record->type = (uint8_t)type;
  record->op = (uint8_t)op;
}

int noccl_record_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  recorder_enter();
  fold(REDUCE, comm, root, count, type, op);
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Reduce(data, result, count, type, op, root, comm));
}

int noccl_record_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  recorder_enter();
  fold(ALLREDUCE, comm, 0, count, type, op);
  recorder_set_root(0);
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Allreduce(data, result, count, type, op, comm));
}

int noccl_record_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                        MPI_Datatype receive_type, int root, MPI_Comm comm) {
  recorder_enter();
  collective(GATHER, comm, root, send == MPI_IN_PLACE ? bytes_of(receive_count, receive_type) : bytes_of(send_count, send_type));
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
}

int noccl_record_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                         const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  recorder_enter();
  collective(GATHERV, comm, root, send == MPI_IN_PLACE ? bytes_of(counts[root], receive_type) : bytes_of(send_count, send_type));
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Gatherv(send, send_count, send_type, receive, counts, starts, receive_type, root, comm));
}

int noccl_record_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                         MPI_Datatype receive_type, int root, MPI_Comm comm) {
  recorder_enter();
  collective(SCATTER, comm, root, rank_in(comm) == root ? bytes_of(send_count, send_type) : bytes_of(receive_count, receive_type));
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm));
}

int noccl_record_Scatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                          int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  recorder_enter();
  struct record *record = collective(SCATTERV, comm, root, 0);
  if (rank_in(comm) == root) lengths(record, comm, counts, send_type);
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Scatterv(send, counts, starts, send_type, receive, receive_count, receive_type, root, comm));
}

int noccl_record_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm) {
  recorder_enter();
  recorder_set_roots(collective(ALLGATHER, comm, 0, bytes_of(receive_count, receive_type)));
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

int noccl_record_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                            const int *starts, MPI_Datatype receive_type, MPI_Comm comm) {
  recorder_enter();
  struct record *record = collective(ALLGATHERV, comm, 0, 0);
  lengths(record, comm, counts, receive_type);
  recorder_set_roots(record);
  recorder_begin(comm != MPI_COMM_SELF);
  return recorder_leave(MPI_Allgatherv(send, send_count, send_type, receive, counts, starts, receive_type, comm));
}

int noccl_record_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm) {
  recorder_enter();
  collective(ALLTOALL, comm, 0, bytes_of(receive_count, receive_type));
  recorder_begin(comm != MPI_COMM_SELF && send != MPI_IN_PLACE);
  return recorder_leave(MPI_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm));
}

int noccl_record_Alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                           void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                           MPI_Comm comm) {
  recorder_enter();
  int is_in_place = send == MPI_IN_PLACE;
  lengths(collective(ALLTOALLV, comm, 0, 0), comm, is_in_place ? receive_counts : send_counts, is_in_place ? receive_type : send_type);
  recorder_begin(comm != MPI_COMM_SELF && send != MPI_IN_PLACE);
  return recorder_leave(MPI_Alltoallv(send, send_counts, send_starts, send_type, receive, receive_counts, receive_starts, receive_type, comm));
}
