// SPDX-License-Identifier: Apache-2.0
// Units from the queues, and those that come early.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"
#include "words.h"

#define QUEUES 2

// Most words of a unit behind header and tag: an envelope and data.
#define UNIT_WORDS (2 + NM_UNIT_BYTES / 4)

struct list {
  struct nm_unit *first, *last;
};

// Of each queue: the units of all ranks that have come early.
static struct list early[QUEUES];

// Units that are not in use.
static struct nm_unit *spare;

static struct nm_unit *new_unit(int rank, uint32_t words) {
  assert(words <= UNIT_WORDS && "a unit of this library");
  struct nm_unit *unit = spare;
  if (unit) {
    spare = unit->next;
  } else {
    unit = malloc(sizeof *unit + 4 * UNIT_WORDS);
    assert(unit && "memory for units that come early");
  }
  unit->rank = rank;
  unit->words = words;
  return unit;
}

void nm_release(struct nm_unit *unit) {
  unit->next = spare;
  spare = unit;
}

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
static inline uint64_t port_of(int queue) { return queue ? NOCCL_PORT_RECEIVE_1 : NOCCL_PORT_RECEIVE_0; }

static inline unsigned words_at(uint64_t status, int queue) { return status >> (8 * queue) & 0xff; }

// Words of a unit behind header and tag, and its rank.
static inline uint32_t words_of(uint64_t head) { return (head >> 16 & 0xff) - 1; }

static inline int rank_of(uint64_t head) { return (int)(head >> 48); }

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
  begun[queue].unit = new_unit(rank_of(head), words_of(head));
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

// Takes in the unit that stands first in a queue, or what has come of it; 1 if it is complete.
static int take_in(int queue) {
  uint32_t words = words_at(noccl_load64(NOCCL_PORT_STATUS), queue);
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

void nm_take_in(unsigned queues) {
  for (int queue = 0; queue < QUEUES; queue++)
    if (queues >> queue & 1) take_in(queue);
}

// Waits for words of a queue, and leaves them there. Those of the others are taken in meanwhile: all share one store, and a packet of
// this queue may stand behind one of another.
static inline void wait_for(int queue) {
  nm_until(NOCCL_PORT_WAIT, UINT64_C(0xff) << (8 * queue), NM_ALL_QUEUES & ~(1u << queue));
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
  while (take_in(queue)) {
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
      if (unit->rank != nm_here.rank) nm_charge_words(unit->words);
      return unit;
    }
    wait_for(queue);
    read_unit(queue);
  }
}

void nm_keep(int queue, const uint32_t *envelope, const char *data, size_t bytes) {
  do {
    size_t now = bytes < NM_UNIT_BYTES ? bytes : NM_UNIT_BYTES;
    uint32_t before = envelope ? 2 : 0, words = before + (uint32_t)((now + 3) / 4);
    struct nm_unit *unit = new_unit(nm_here.rank, words);
    // Bytes of the last word that are not the message's.
    if (words) unit->data[words - 1] = 0;
    if (envelope) memcpy(unit->data, envelope, 8);
    memcpy(unit->data + before, data, now);
    append(&early[queue], unit);
    envelope = 0;
    data += now;
    bytes -= now;
  } while (bytes);
}

static inline void read_kept(const uint32_t *from, char *data, size_t bytes) {
  NM_READ_ALL(data, bytes, (from += 2, *(const two_words *)(from - 2)), *from++);
}

// A unit of a message: from the list if it came early, else from the queue, behind units of others.
static __attribute__((noinline)) void receive_late(int rank, char *data, size_t bytes) {
  struct nm_unit *unit = take(NM_QUEUE_MESSAGES, rank);
  while (!unit) {
    wait_for(NM_QUEUE_MESSAGES);
    read_unit(NM_QUEUE_MESSAGES);
    struct nm_unit *last = early[NM_QUEUE_MESSAGES].last;
    if (last->rank == rank) unit = take(NM_QUEUE_MESSAGES, rank);
  }
  assert(unit->words == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
  read_kept(unit->data, data, bytes);
  nm_release(unit);
}

// What most receives are: nothing has come early, and the next unit is the right one. Its words need no list between.
static inline __attribute__((always_inline)) void receive_unit(int rank, char *data, size_t bytes) {
  uint64_t port = port_of(NM_QUEUE_MESSAGES);
  if (early[NM_QUEUE_MESSAGES].first || begun[NM_QUEUE_MESSAGES].unit) {
    receive_late(rank, data, bytes);
    return;
  }
  wait_for(NM_QUEUE_MESSAGES);
  if (begun[NM_QUEUE_MESSAGES].unit) {
    receive_late(rank, data, bytes);
    return;
  }
  uint64_t head = noccl_load64(port);
  if (rank_of(head) != rank) {
    begin_unit(NM_QUEUE_MESSAGES, head);
    receive_late(rank, data, bytes);
    return;
  }
  assert(words_of(head) == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
  NM_READ_ALL(data, bytes, noccl_load64(port), noccl_load(port));
}

static __attribute__((noinline)) void receive_long(int rank, char *data, size_t bytes) {
  for (; bytes > NM_UNIT_BYTES; bytes -= NM_UNIT_BYTES, data += NM_UNIT_BYTES) {
    receive_unit(rank, data, NM_UNIT_BYTES);
    if (rank != nm_here.rank) nm_charge_words(NM_UNIT_BYTES / 4);
  }
  receive_unit(rank, data, bytes);
}

void nm_receive(int rank, void *data, size_t bytes) {
  uint64_t entered = nm_enter();
  if (rank != nm_here.rank) nm_charge_message();
  if (bytes <= NM_UNIT_BYTES) {
    receive_unit(rank, data, bytes);
  } else {
    receive_long(rank, data, bytes);
  }
  if (rank != nm_here.rank) nm_charge_words((uint32_t)((bytes % NM_UNIT_BYTES + 3) / 4));
  nm_leave_receive(entered);
}
