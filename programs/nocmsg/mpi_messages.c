// SPDX-License-Identifier: Apache-2.0
// Point-to-point messages of MPI: an envelope of tag and length before the data of each one.
//
// A message meets its receive when its first unit is taken in: the first posted receive that it fits, else it is kept, and
// later receives look at the kept ones first, in the order in which they came. That is MPI's order, whichever receive is waited
// for. A unit is the first one of a message, or follows the units of its rank before it.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "mpi_parts.h"
#include "nocmsg.h"

#define MOST_REQUESTS 256

// Of the envelope's length: the message belongs to the communicator of its rank alone.
#define SELF_BIT (UINT32_C(1) << 31)

struct receive {
  struct receive *next;
  char *data;
  size_t capacity;
  int from, tag;
  uint32_t self;
  int is_used, is_over;
  MPI_Status status;
};

struct message {
  struct message *next;
  // The receive that it has met, or none, and the data are kept here.
  struct receive *receive;
  char *data;
  int rank, tag;
  uint32_t bytes, come, self;
};

static struct receive receives[MOST_REQUESTS];

// Receives that have met no message, in the order of their calls.
static struct receive *posted;

// Messages that are not complete, one per rank at most, and those that have met no receive.
static struct message *messages;

static int fits(const struct receive *receive, const struct message *message) {
  return (receive->from == MPI_ANY_SOURCE || receive->from == message->rank) &&
         (receive->tag == MPI_ANY_TAG || receive->tag == message->tag) && receive->self == message->self;
}

static void append_message(struct message *message) {
  struct message **end = &messages;
  while (*end) end = &(*end)->next;
  message->next = 0;
  *end = message;
}

static void remove_message(struct message *message) {
  struct message **at = &messages;
  while (*at != message) at = &(*at)->next;
  *at = message->next;
}

static void meet(struct message *message, struct receive *receive) {
  if (message->bytes > receive->capacity) mpi_wrong("MPI_Recv of a message that is longer than its buffer");
  receive->status = (MPI_Status){message->self ? 0 : message->rank, message->tag, 0, message->bytes};
  message->receive = receive;
}

// A message that has met its receive and is complete.
static void end_message(struct message *message) {
  message->receive->is_over = 1;
  remove_message(message);
  free(message);
}

static void keep_data(struct message *message) {
  message->data = malloc(message->bytes + 1);
  assert(message->data && "memory for messages that come early");
}

static struct message *begin_message(const struct nm_unit *unit) {
  struct message *message = calloc(1, sizeof *message);
  assert(message && "memory for messages that come early");
  message->rank = unit->rank;
  message->tag = (int)unit->data[0];
  message->bytes = unit->data[1] & ~SELF_BIT;
  message->self = unit->data[1] & SELF_BIT;
  append_message(message);
  for (struct receive **at = &posted; *at; at = &(*at)->next) {
    if (!fits(*at, message)) continue;
    meet(message, *at);
    message->data = (*at)->data;
    *at = (*at)->next;
    return message;
  }
  keep_data(message);
  return message;
}

static void take_unit(struct nm_unit *unit) {
  const char *data = (const char *)unit->data;
  uint32_t bytes = 4 * unit->words;
  struct message *message = messages;
  while (message && (message->rank != unit->rank || message->come == message->bytes)) message = message->next;
  if (!message) {
    message = begin_message(unit);
    if (unit->rank != nm_rank()) nm_charge_message();
    data += 8;
    bytes -= 8;
  }
  uint32_t left = message->bytes - message->come;
  if (bytes > left) bytes = left;
  memcpy(message->data + message->come, data, bytes);
  message->come += bytes;
  nm_release(unit);
  if (message->receive && message->come == message->bytes) end_message(message);
}

// The first kept message that fits gives its data, and those that have not come go to the receive straight away.
static int take_kept(struct receive *receive) {
  for (struct message *message = messages; message; message = message->next) {
    if (message->receive || !fits(receive, message)) continue;
    meet(message, receive);
    memcpy(receive->data, message->data, message->come);
    free(message->data);
    message->data = receive->data;
    if (message->come == message->bytes) end_message(message);
    return 1;
  }
  return 0;
}

static int rank_of(int rank, MPI_Comm comm, const char *error) {
  int size;
  MPI_Comm_size(comm, &size);
  if (rank < 0 || rank >= size) mpi_wrong(error);
  return comm == MPI_COMM_SELF ? nm_rank() : rank;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return MPI_SUCCESS;
  to = rank_of(to, comm, "MPI_Send to a rank that there is not");
  uint32_t bytes = (uint32_t)mpi_bytes(count, type);
  uint32_t envelope[2] = {(uint32_t)tag, bytes | (comm == MPI_COMM_SELF ? SELF_BIT : 0)};
  nm_send_envelope(to, envelope, data, bytes);
  return MPI_SUCCESS;
}

static void post(struct receive *receive, void *data, size_t bytes, int from, int tag, MPI_Comm comm) {
  *receive = (struct receive){.data = data, .capacity = bytes, .tag = tag, .is_used = 1};
  if (from == MPI_PROC_NULL) {
    receive->status = (MPI_Status){MPI_PROC_NULL, MPI_ANY_TAG, 0, 0};
    receive->is_over = 1;
    return;
  }
  receive->self = comm == MPI_COMM_SELF ? SELF_BIT : 0;
  receive->from = from;
  if (from != MPI_ANY_SOURCE) receive->from = rank_of(from, comm, "MPI_Recv from a rank that there is not");
  if (take_kept(receive)) return;
  struct receive **end = &posted;
  while (*end) end = &(*end)->next;
  *end = receive;
}

static void finish(struct receive *receive, MPI_Status *status) {
  uint64_t entered = nm_enter();
  while (!receive->is_over) take_unit(nm_next_unit());
  nm_leave_receive(entered);
  receive->is_used = 0;
  if (status) *status = receive->status;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  struct receive receive;
  post(&receive, data, mpi_bytes(count, type), from, tag, comm);
  finish(&receive, status);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status) {
  struct receive own;
  post(&own, receive, mpi_bytes(receive_count, receive_type), from, receive_tag, comm);
  MPI_Send(send, send_count, send_type, to, send_tag, comm);
  finish(&own, status);
  return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Send(data, count, type, to, tag, comm);
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  int number = 0;
  while (number < MOST_REQUESTS && receives[number].is_used) number++;
  if (number == MOST_REQUESTS) mpi_wrong("MPI_Irecv: more than 256 requests are open");
  *request = number;
  post(&receives[number], data, mpi_bytes(count, type), from, tag, comm);
  return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int number = *request;
  *request = MPI_REQUEST_NULL;
  if (number == MPI_REQUEST_NULL) {
    if (status) *status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0};
    return MPI_SUCCESS;
  }
  finish(&receives[number], status);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request *all, MPI_Status *statuses) {
  for (int number = 0; number < count; number++) MPI_Wait(&all[number], statuses ? &statuses[number] : 0);
  return MPI_SUCCESS;
}
