// SPDX-License-Identifier: Apache-2.0
// Words into the port, and units from the queues.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"

#define QUEUES 2

// Data of any type and at any address: the core takes misaligned words in one access.
typedef uint64_t __attribute__((may_alias)) two_words;
typedef uint32_t __attribute__((may_alias)) one_word;

// Counts of the status port, a byte each.
#define SPACE_SHIFT 40
#define STATIC_WORDS_SHIFT 48
#define STATIC_SPACE_SHIFT 56

struct list {
  struct nm_unit *first, *last;
};

// Of each queue: the units of every rank, and of all.
static struct list early[QUEUES];

void nm_init_units(void) { memset(early, 0, sizeof early); }

static void append(struct list *list, struct nm_unit *unit) {
  unit->next = 0;
  if (list->last) {
    list->last->next = unit;
  } else {
    list->first = unit;
  }
  list->last = unit;
}

// The port of a queue, from which loads wait for words.
static uint64_t port_of(int queue) { return queue ? NOCCL_PORT_RECEIVE_1 : NOCCL_PORT_RECEIVE_0; }

static unsigned waiting(int queue) { return noccl_load64(NOCCL_PORT_STATUS) >> (8 * queue) & 0xff; }

// Words of a unit behind header and tag, and its rank.
static uint32_t words_of(uint64_t head) { return (head >> 16 & 0xff) - 1; }

static int rank_of(uint64_t head) { return (int)(head >> 48); }

// The unit of each queue of which not all words have come.
static struct {
  struct nm_unit *unit;
  uint32_t read;
} begun[QUEUES];

// Reads so many words of the unit that a queue has begun.
static void read_words(int queue, uint32_t words) {
  uint64_t port = port_of(queue);
  uint32_t *data = begun[queue].unit->data + begun[queue].read;
  two_words *to = (two_words *)data;
  for (uint32_t left = words / 2; left; left--) *to++ = noccl_load64(port);
  if (words % 2) data[words - 1] = noccl_load(port);
  begun[queue].read += words;
}

// Begins the unit behind header and tag that have been read.
static void begin_unit(int queue, uint64_t head) {
  uint32_t words = words_of(head);
  struct nm_unit *unit = malloc(sizeof *unit + 4 * (size_t)words);
  assert(unit && "memory for units that come early");
  unit->rank = rank_of(head);
  unit->words = words;
  begun[queue].unit = unit;
  begun[queue].read = 0;
}

static void end_unit(int queue) {
  append(&early[queue], begun[queue].unit);
  begun[queue].unit = 0;
}

// The unit that a queue has begun, to its end, which is waited for: not while words of an own packet are still to be written.
static void read_rest(int queue) {
  read_words(queue, begun[queue].unit->words - begun[queue].read);
  end_unit(queue);
}

static void read_unit(int queue) {
  if (!begun[queue].unit) begin_unit(queue, noccl_load64(port_of(queue)));
  read_rest(queue);
}

int nm_take_in(int queue) {
  uint32_t words = waiting(queue);
  if (!begun[queue].unit) {
    if (words < 2) return 0;
    begin_unit(queue, noccl_load64(port_of(queue)));
    words -= 2;
  }
  uint32_t left = begun[queue].unit->words - begun[queue].read;
  if (words < left) {
    // In pairs, so that the rest is read in pairs, too.
    read_words(queue, words / 2 * 2);
    return 0;
  }
  read_words(queue, left);
  end_unit(queue);
  return 1;
}

// Waits for words of a queue. Those of the others are taken in meanwhile: all share one store, and a packet of this queue may stand
// behind one of another.
static void wait_for(int queue) {
  while (!(noccl_load64(NOCCL_PORT_WAIT) >> (8 * queue) & 0xff)) {
    for (int other = 0; other < QUEUES; other++)
      if (other != queue) nm_take_in(other);
  }
}

static void take_in_all(void) {
  for (int queue = 0; queue < QUEUES; queue++) nm_take_in(queue);
}

// A count of the status, at least one; waits at a port that has the same counts.
static unsigned counted(uint64_t port, int shift) {
  for (;;) {
    unsigned words = noccl_load64(port) >> shift & 0xff;
    if (words) return words;
    take_in_all();
  }
}

unsigned nm_static_words(void) { return counted(NOCCL_PORT_WAIT, STATIC_WORDS_SHIFT); }

unsigned nm_static_space(void) { return counted(NOCCL_PORT_STATUS, STATIC_SPACE_SHIFT); }

static unsigned space(void) { return noccl_load64(NOCCL_PORT_STATUS) >> SPACE_SHIFT & 0xff; }

// A full port: what has come is read, so that the network moves on; what has not come is not waited for, since its sender may wait
// for this rank to read in the middle of a packet, as this rank does. Apart from the writes, which are short without it.
static __attribute__((noinline)) void drain(unsigned words) {
  while (space() < words) take_in_all();
}

void nm_write64(uint64_t words) {
  if (space() < 2) drain(2);
  noccl_store64(NOCCL_PORT_SEND, words);
}

void nm_write32(uint32_t word) {
  if (space() < 1) drain(1);
  noccl_store(NOCCL_PORT_SEND, word);
}

static struct nm_unit *take(int queue, int rank) {
  struct nm_unit *before = 0;
  for (struct nm_unit *unit = early[queue].first; unit; before = unit, unit = unit->next) {
    if (rank >= 0 && unit->rank != rank) continue;
    if (before) {
      before->next = unit->next;
    } else {
      early[queue].first = unit->next;
    }
    if (early[queue].last == unit) early[queue].last = before;
    return unit;
  }
  return 0;
}

struct nm_unit *nm_look(int queue, int rank) {
  while (nm_take_in(queue)) {
  }
  return take(queue, rank);
}

void nm_put_back(int queue, struct nm_unit *unit) {
  unit->next = early[queue].first;
  early[queue].first = unit;
  if (!early[queue].last) early[queue].last = unit;
}

struct nm_unit *nm_next_unit(int queue, int rank) {
  for (;;) {
    struct nm_unit *unit = take(queue, rank);
    if (unit) {
      if (unit->rank != nm_rank()) nm_charge_words(unit->words);
      return unit;
    }
    wait_for(queue);
    read_unit(queue);
  }
}

// The next words of a unit that comes from the right rank, without a list between.
static void read_data(uint64_t port, char *data, size_t bytes) {
  size_t done = 0;
  for (; done + 8 <= bytes; done += 8) *(two_words *)(data + done) = noccl_load64(port);
  for (; done + 4 <= bytes; done += 4) *(one_word *)(data + done) = noccl_load(port);
  if (done < bytes) {
    uint32_t word = noccl_load(port);
    memcpy(data + done, &word, bytes - done);
  }
}

// Header and tag of units to a rank, without their length.
static uint64_t head_to(int rank, int queue) {
  uint32_t column = (uint32_t)(rank % nm_columns()), row = (uint32_t)(rank / nm_columns());
  uint32_t tag = (uint32_t)queue | (uint32_t)nm_rank() << 16;
  return column | row << 8 | (uint64_t)tag << 32;
}

static void write_data(const char *data, size_t bytes) {
  size_t done = 0;
  for (; done + 8 <= bytes; done += 8) nm_write64(*(const two_words *)(data + done));
  for (; done + 4 <= bytes; done += 4) nm_write32(*(const one_word *)(data + done));
  if (done < bytes) {
    uint32_t word = 0;
    memcpy(&word, data + done, bytes - done);
    nm_write32(word);
  }
}

// A unit to oneself goes into the list.
static void keep(int queue, const uint32_t *envelope, const char *data, size_t bytes) {
  uint32_t before = envelope ? 2 : 0, words = before + (uint32_t)((bytes + 3) / 4);
  struct nm_unit *unit = calloc(1, sizeof *unit + 4 * (size_t)words);
  assert(unit && "memory for messages to oneself");
  unit->rank = nm_rank();
  unit->words = words;
  if (envelope) memcpy(unit->data, envelope, 8);
  memcpy(unit->data + before, data, bytes);
  append(&early[queue], unit);
}

static void send(int rank, int queue, const uint32_t *envelope, const char *data, size_t bytes) {
  uint64_t head = head_to(rank, queue);
  uint64_t entered = nm_enter();
  if (rank != nm_rank()) {
    nm_count_message(bytes);
    nm_charge_message();
  }
  do {
    size_t now = bytes < NM_UNIT_BYTES ? bytes : NM_UNIT_BYTES;
    if (rank == nm_rank()) {
      keep(queue, envelope, data, now);
    } else {
      uint32_t words = (envelope ? 2 : 0) + (uint32_t)((now + 3) / 4);
      nm_charge_words(words);
      nm_write64(head | (uint64_t)(words + 1) << 16);
      if (envelope) nm_write64(envelope[0] | (uint64_t)envelope[1] << 32);
      write_data(data, now);
    }
    envelope = 0;
    data += now;
    bytes -= now;
  } while (bytes);
  nm_leave_send(entered);
}

void nm_send(int rank, const void *data, size_t bytes) {
  send(rank, NM_QUEUE_MESSAGES, 0, data, bytes);
}

void nm_send_envelope(int rank, const uint32_t envelope[2], const void *data, size_t bytes) {
  send(rank, NM_QUEUE_MPI, envelope, data, bytes);
}

// A unit of a message: from the list if it came early, else straight from the queue.
static void receive_unit(int rank, char *data, size_t bytes) {
  struct nm_unit *unit = take(NM_QUEUE_MESSAGES, rank);
  uint64_t port = port_of(NM_QUEUE_MESSAGES);
  while (!unit) {
    wait_for(NM_QUEUE_MESSAGES);
    if (begun[NM_QUEUE_MESSAGES].unit) {
      read_rest(NM_QUEUE_MESSAGES);
      unit = take(NM_QUEUE_MESSAGES, rank);
      continue;
    }
    uint64_t head = noccl_load64(port);
    if (rank_of(head) == rank) {
      assert(words_of(head) == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
      read_data(port, data, bytes);
      return;
    }
    begin_unit(NM_QUEUE_MESSAGES, head);
    read_rest(NM_QUEUE_MESSAGES);
  }
  assert(unit->words == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
  memcpy(data, unit->data, bytes);
  free(unit);
}

void nm_receive(int rank, void *data, size_t bytes) {
  uint64_t entered = nm_enter();
  char *to = data;
  if (rank != nm_rank()) nm_charge_message();
  do {
    size_t now = bytes < NM_UNIT_BYTES ? bytes : NM_UNIT_BYTES;
    receive_unit(rank, to, now);
    if (rank != nm_rank()) nm_charge_words((uint32_t)((now + 3) / 4));
    to += now;
    bytes -= now;
  } while (bytes);
  nm_leave_receive(entered);
}
