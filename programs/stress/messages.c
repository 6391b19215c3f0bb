// SPDX-License-Identifier: Apache-2.0
// Messages between random pairs: of the library, and of MPI with any number of open receives, some left for later steps.
#include <mpi.h>
#include <nocmsg.h>
#include <string.h>

#include "draw.h"

#define MOST_MESSAGES 12
#define MOST_LATE 64

struct message {
  int from, to, tag, number;
  size_t bytes;
};

static char sent[MOST_BYTES];
static char got[MOST_LATE + MOST_MESSAGES][MOST_BYTES];

static int draw_messages(struct message *all, size_t most_bytes) {
  int count = 1 + (int)draw(MOST_MESSAGES);
  for (int i = 0; i < count; i++) {
    all[i] = (struct message){.from = (int)draw(ranks), .to = (int)draw(ranks), .tag = 4 * step + (int)draw(3)};
    all[i].number = 100 * step + i;
    all[i].bytes = draw_bytes(draw(4) ? most_bytes / 16 : most_bytes);
  }
  return count;
}

// All are sent before any is received; receives take the senders in any order, but of each one its messages in theirs.
void messages_of_library(void) {
  struct message all[MOST_MESSAGES];
  int count = draw_messages(all, MOST_BYTES), first = (int)draw(ranks);
  for (int i = 0; i < count; i++) {
    if (all[i].from != rank) continue;
    fill(sent, all[i].bytes, rank, all[i].to, all[i].number);
    nm_send(all[i].to, sent, all[i].bytes);
    delay();
  }
  for (int apart = 0; apart < ranks; apart++) {
    int from = (first + rank + apart) % ranks;
    for (int i = 0; i < count; i++) {
      if (all[i].to != rank || all[i].from != from) continue;
      memset(got[0], 0, all[i].bytes);
      nm_receive(from, got[0], all[i].bytes);
      compare(got[0], all[i].bytes, from, rank, all[i].number, "message of the library");
    }
  }
}

// How the messages of a sender with a tag are received.
enum form { POSTED, BEHIND, ANY_SENDER, LATE };

static enum form form_of(const struct message *message) {
  static const enum form forms[] = {POSTED, BEHIND, ANY_SENDER, LATE, POSTED, LATE};
  // By receiver and tag, since a receive of any sender takes all of them.
  return forms[byte_of(0, message->to, message->tag, 0) % 6];
}

static struct message late[MOST_LATE];
static int late_count;

static void check_status(const MPI_Status *status, const struct message *message) {
  int count;
  MPI_Get_count(status, MPI_BYTE, &count);
  if ((size_t)count != message->bytes) fault("length of a message", message->from, count, (long)message->bytes);
  if (status->MPI_SOURCE != message->from) fault("sender of a message", message->from, status->MPI_SOURCE, message->from);
  if (status->MPI_TAG != message->tag) fault("tag of a message", message->from, status->MPI_TAG, message->tag);
}

static void receive(const struct message *message) {
  MPI_Status status;
  MPI_Recv(got[0], MOST_BYTES, MPI_BYTE, message->from, message->tag, MPI_COMM_WORLD, &status);
  check_status(&status, message);
  compare(got[0], message->bytes, message->from, rank, message->number, "message of MPI");
}

void receive_late(void) {
  for (int i = 0; i < late_count; i++) receive(&late[i]);
  late_count = 0;
}

// Of a sender the messages of a form and tag come in their order.
static void receive_any(const struct message *all, int count, int tag) {
  int taken[MOST_RANKS] = {0};
  for (int i = 0; i < count; i++) {
    if (all[i].to != rank || all[i].tag != tag) continue;
    MPI_Status status;
    MPI_Recv(got[0], MOST_BYTES, MPI_BYTE, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    int from = status.MPI_SOURCE, before = taken[from]++, at = 0;
    for (; at < count; at++)
      if (all[at].to == rank && all[at].tag == tag && all[at].from == from && before-- == 0) break;
    if (at == count) {
      fault("a message too many", from, tag, tag);
      continue;
    }
    check_status(&status, &all[at]);
    compare(got[0], all[at].bytes, from, rank, all[at].number, "message of any sender");
  }
}

void messages_of_mpi(void) {
  struct message all[MOST_MESSAGES];
  MPI_Request requests[MOST_MESSAGES], ignored;
  MPI_Status statuses[MOST_MESSAGES];
  int count = draw_messages(all, MOST_BYTES), is_backward = (int)draw(2), posted = 0, order[MOST_MESSAGES];
  if (late_count + count > MOST_LATE) receive_late();
  for (int i = 0; i < count; i++) {
    if (all[i].to != rank || form_of(&all[i]) != POSTED) continue;
    MPI_Irecv(got[1 + posted], MOST_BYTES, MPI_BYTE, all[i].from, all[i].tag, MPI_COMM_WORLD, &requests[posted]);
    order[posted++] = i;
  }
  delay();
  for (int i = 0; i < count; i++) {
    if (all[i].from != rank) continue;
    fill(sent, all[i].bytes, rank, all[i].to, all[i].number);
    MPI_Isend(sent, (int)all[i].bytes, MPI_BYTE, all[i].to, all[i].tag, MPI_COMM_WORLD, &ignored);
    MPI_Wait(&ignored, MPI_STATUS_IGNORE);
    delay();
  }
  for (int i = 0; i < count; i++) {
    if (all[i].to != rank) continue;
    if (form_of(&all[i]) == BEHIND) receive(&all[i]);
    if (form_of(&all[i]) == LATE) late[late_count++] = all[i];
  }
  for (int tag = 4 * step; tag < 4 * step + 3; tag++) {
    struct message of_tag = {.to = rank, .tag = tag};
    if (form_of(&of_tag) == ANY_SENDER) receive_any(all, count, tag);
  }
  for (int i = 0; i < posted; i++) {
    int at = is_backward ? posted - 1 - i : i;
    MPI_Wait(&requests[at], &statuses[at]);
    check_status(&statuses[at], &all[order[at]]);
    compare(got[1 + at], all[order[at]].bytes, all[order[at]].from, rank, all[order[at]].number, "posted receive");
  }
}

// Everybody sends and receives at once.
void ring(void) {
  int distance = (int)draw(ranks), to = (rank + distance) % ranks, from = (rank + ranks - distance) % ranks;
  struct message message = {.from = from, .to = rank, .tag = 4 * step, .number = 100 * step};
  MPI_Status status;
  message.bytes = draw_bytes(MOST_BYTES);
  fill(sent, message.bytes, rank, to, message.number);
  MPI_Sendrecv(sent, (int)message.bytes, MPI_BYTE, to, message.tag, got[0], MOST_BYTES, MPI_BYTE, from, message.tag,
               MPI_COMM_WORLD, &status);
  check_status(&status, &message);
  compare(got[0], message.bytes, from, rank, message.number, "ring");
}

// Receives of a sender's messages with whatever tag, when none of an earlier step is left.
void any_tag(void) {
  struct message all[MOST_MESSAGES];
  receive_late();
  int count = draw_messages(all, MOST_BYTES / 4);
  for (int i = 0; i < count; i++) {
    if (all[i].from != rank) continue;
    fill(sent, all[i].bytes, rank, all[i].to, all[i].number);
    MPI_Send(sent, (int)all[i].bytes, MPI_BYTE, all[i].to, all[i].tag, MPI_COMM_WORLD);
  }
  for (int i = 0; i < count; i++) {
    MPI_Status status;
    if (all[i].to != rank) continue;
    MPI_Recv(got[0], MOST_BYTES, MPI_BYTE, all[i].from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    check_status(&status, &all[i]);
    compare(got[0], all[i].bytes, all[i].from, rank, all[i].number, "message of any tag");
  }
}
