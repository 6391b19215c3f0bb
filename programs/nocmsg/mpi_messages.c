// SPDX-License-Identifier: Apache-2.0
// Point-to-point messages of MPI: an envelope of tag, communicator and length before the data of each one (mpi_parts.h).
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
#include "place.h"

// Requests without a further table, which is made when they are all in use; and tables of as many.
#define FEW_REQUESTS 256
#define MOST_TABLES 64

struct message {
  struct message *next;
  // The receive that it has met, or none, and the data are kept here.
  struct receive *receive;
  char *data;
  int rank, tag;
  uint32_t bytes, come, context, is_synchronous;
};

static struct receive receives[FEW_REQUESTS];
static struct receive *more_receives[MOST_TABLES];

// Receives that have met no message, in the order of their calls.
static struct receive *posted;

// Messages that are not complete, one per rank at most, and those that have met no receive.
static struct message *messages;

static int fits(const struct receive *receive, const struct message *message) {
  return (receive->from == MPI_ANY_SOURCE || receive->from == message->rank) &&
         (receive->tag == MPI_ANY_TAG || receive->tag == message->tag) && receive->context == message->context;
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

// Whoever waits for the receiver of a synchronous message is told that it has begun to receive.
static __attribute__((noinline)) void acknowledge(const struct message *message) {
  uint32_t envelope[2] = {(uint32_t)message->tag, message->context | MPI_INNER};
  nm_send_envelope(message->rank, envelope, 0, 0);
}

static MPI_Status status_of(const struct message *message) {
  int source = message->context ? mpi_rank_among(message->context, message->rank) : message->rank;
  return (MPI_Status){source, message->tag, 0, message->bytes};
}

static inline __attribute__((always_inline)) void meet(struct message *message, struct receive *receive) {
  if (message->bytes > receive->capacity) mpi_wrong("MPI_Recv of a message that is longer than its buffer");
  receive->status = status_of(message);
  message->receive = receive;
}

// The first receive that a new message fits, if there is one.
static inline __attribute__((always_inline)) int meet_posted(struct message *message) {
  for (struct receive **at = &posted; *at; at = &(*at)->next) {
    if (!fits(*at, message)) continue;
    meet(message, *at);
    message->data = (*at)->data;
    *at = (*at)->next;
    return 1;
  }
  return 0;
}

// It fits no receive while its context has this bit, so that other messages do not look at it.
static __attribute__((noinline)) int meet_posted_synchronous(struct message *message) {
  message->is_synchronous = 1;
  message->context &= ~MPI_SYNCHRONOUS;
  if (!meet_posted(message)) return 0;
  acknowledge(message);
  return 1;
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

static inline __attribute__((always_inline)) struct message *begin_message(const struct nm_unit *unit) {
  struct message *message = calloc(1, sizeof *message);
  assert(message && "memory for messages that come early");
  message->rank = unit->rank;
  message->tag = (int)unit->data[0];
  message->bytes = unit->data[1] & MPI_MOST_BYTES;
  message->context = unit->data[1] & ~MPI_MOST_BYTES;
  append_message(message);
  if (meet_posted(message)) return message;
  if (message->context & MPI_SYNCHRONOUS && meet_posted_synchronous(message)) return message;
  keep_data(message);
  return message;
}

static inline __attribute__((always_inline)) void take_unit(struct nm_unit *unit) {
  const char *data = (const char *)unit->data;
  uint32_t bytes = 4 * unit->words;
  struct message *message = messages;
  while (message && (message->rank != unit->rank || message->come == message->bytes)) message = message->next;
  if (!message) {
    message = begin_message(unit);
    if (unit->rank != nm_here.rank) nm_charge_message();
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
static inline __attribute__((always_inline)) int take_kept(struct receive *receive) {
  for (struct message *message = messages; message; message = message->next) {
    if (message->receive || !fits(receive, message)) continue;
    meet(message, receive);
    if (message->is_synchronous) acknowledge(message);
    memcpy(receive->data, message->data, message->come);
    free(message->data);
    message->data = receive->data;
    if (message->come == message->bytes) end_message(message);
    return 1;
  }
  return 0;
}

void mpi_send_bytes(int to, uint32_t tag, uint32_t context, const void *data, size_t bytes) {
  uint32_t envelope[2] = {tag, (uint32_t)bytes | context};
  if (bytes > MPI_MOST_BYTES) mpi_wrong(MPI_TOO_LONG);
  nm_send_envelope(to, envelope, data, bytes);
}

// What a message within all ranks does not need.
static __attribute__((noinline)) int send_among(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  int world = mpi_world_rank(comm, to, "MPI_Send to a rank that there is not");
  mpi_send_bytes(world, (uint32_t)tag, mpi_context(comm), data, mpi_bytes(count, type));
  return MPI_SUCCESS;
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  if (to == MPI_PROC_NULL) return MPI_SUCCESS;
  int size;
  mpi_size_of_world(comm, &size);
  if (to < 0 || to >= size) return send_among(data, count, type, to, tag, comm);
  size_t bytes = mpi_bytes(count, type);
  if (bytes > MPI_MOST_BYTES) mpi_wrong(MPI_TOO_LONG);
  uint32_t envelope[2] = {(uint32_t)tag, (uint32_t)bytes};
  nm_send_envelope(to, envelope, data, bytes);
  return MPI_SUCCESS;
}

// A receive whose rank is one of all ranks: the message that it meets has come, or will.
static inline __attribute__((always_inline)) void await(struct receive *receive) {
  if (take_kept(receive)) return;
  struct receive **end = &posted;
  while (*end) end = &(*end)->next;
  *end = receive;
}

void mpi_await(struct receive *receive, void *data, size_t bytes, int from, int tag, uint32_t context) {
  *receive = (struct receive){
      .data = data, .capacity = bytes, .from = from, .tag = tag, .context = context, .is_used = 1};
  await(receive);
}

static __attribute__((noinline)) int from_among(int from, MPI_Comm comm) {
  return mpi_world_rank(comm, from, "MPI_Recv from a rank that there is not");
}

static void post(struct receive *receive, void *data, size_t bytes, int from, int tag, MPI_Comm comm) {
  *receive = (struct receive){.data = data, .capacity = bytes, .tag = tag, .is_used = 1};
  if (from == MPI_PROC_NULL) {
    receive->status = (MPI_Status){MPI_PROC_NULL, MPI_ANY_TAG, 0, 0};
    receive->is_over = 1;
    return;
  }
  receive->context = mpi_context(comm);
  if (from != MPI_ANY_SOURCE) {
    int size;
    mpi_size_of_world(comm, &size);
    if (from < 0 || from >= size) from = from_among(from, comm);
  }
  receive->from = from;
  await(receive);
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
  *request = MPI_SENT;
  return MPI_Send(data, count, type, to, tag, comm);
}

struct receive *mpi_receive_of(MPI_Request request) {
  if (request < FEW_REQUESTS) return &receives[request];
  return &more_receives[request / FEW_REQUESTS - 1][request % FEW_REQUESTS];
}

// The first unused one behind those of `receives`.
static __attribute__((noinline)) int further_request(void) {
  for (int table = 0; table < MOST_TABLES; table++) {
    if (!more_receives[table]) more_receives[table] = calloc(FEW_REQUESTS, sizeof **more_receives);
    assert(more_receives[table] && "memory for requests");
    for (int place = 0; place < FEW_REQUESTS; place++)
      if (!more_receives[table][place].is_used) return FEW_REQUESTS * (1 + table) + place;
  }
  mpi_wrong("more than 16640 requests are open");
}

int mpi_unused_request(void) {
  int number = 0;
  while (number < FEW_REQUESTS && receives[number].is_used) number++;
  return number < FEW_REQUESTS ? number : further_request();
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  *request = mpi_unused_request();
  post(mpi_receive_of(*request), data, mpi_bytes(count, type), from, tag, comm);
  return MPI_SUCCESS;
}

// No request, one of a send that is over, or one of a further table.
static __attribute__((noinline)) void wait_other(MPI_Request request, MPI_Status *status) {
  if (request >= 0) {
    finish(mpi_receive_of(request), status);
  } else if (status) {
    *status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0};
  }
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  int number = *request;
  *request = MPI_REQUEST_NULL;
  if ((unsigned)number >= FEW_REQUESTS) {
    wait_other(number, status);
    return MPI_SUCCESS;
  }
  finish(&receives[number], status);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request *all, MPI_Status *statuses) {
  for (int number = 0; number < count; number++) MPI_Wait(&all[number], statuses ? &statuses[number] : 0);
  return MPI_SUCCESS;
}

// What the other files of MPI ask.

void mpi_take_next(void) { take_unit(nm_next_unit()); }

void mpi_take_come(void) {
  for (struct nm_unit *unit; (unit = nm_come_unit());) take_unit(unit);
}

int mpi_is_kept(const struct receive *receive, MPI_Status *status) {
  for (const struct message *message = messages; message; message = message->next) {
    if (message->receive || !fits(receive, message)) continue;
    if (status) *status = status_of(message);
    return 1;
  }
  return 0;
}

int mpi_is_open(uint32_t context) {
  for (const struct receive *receive = posted; receive; receive = receive->next)
    if ((receive->context & ~MPI_INNER) == context) return 1;
  for (const struct message *message = messages; message; message = message->next)
    if ((message->context & ~MPI_INNER) == context) return 1;
  return 0;
}
