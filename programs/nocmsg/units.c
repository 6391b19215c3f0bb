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
#define UNIT_BYTES (sizeof(struct nm_unit) + 4 * UNIT_WORDS)

// Units that are made at once.
#define MORE_UNITS 8

// Units that have come early; of a rank also the place of the message that is expected of it, and the bytes that have not come.
struct list {
  struct nm_unit *first, *last;
  char *place;
  size_t left;
};

// Messages of this library by rank, those of MPI in the order in which they came.
static struct list *of_rank, of_mpi;

void nm_init_units(void) {
  of_rank = calloc((size_t)nm_here.ranks, sizeof *of_rank);
  assert(of_rank && "memory for a list per rank");
}

static inline struct list *list_of(int queue, int rank) { return queue == NM_QUEUE_MPI ? &of_mpi : &of_rank[rank]; }

// Units that are not in use.
static struct nm_unit *spare;

void nm_release(struct nm_unit *unit) {
  unit->next = spare;
  spare = unit;
}

static __attribute__((noinline)) void more_units(void) {
  char *units = malloc(MORE_UNITS * UNIT_BYTES);
  assert(units && "memory for units that come early");
  for (int unit = 0; unit < MORE_UNITS; unit++) nm_release((struct nm_unit *)(units + unit * UNIT_BYTES));
}

static inline struct nm_unit *new_unit(int rank, uint32_t words) {
  assert(words <= UNIT_WORDS && "a unit of this library");
  if (!spare) more_units();
  struct nm_unit *unit = spare;
  spare = unit->next;
  unit->rank = rank;
  unit->words = words;
  return unit;
}

static inline void append(int queue, struct nm_unit *unit) {
  struct list *list = list_of(queue, unit->rank);
  unit->next = 0;
  if (list->first) {
    list->last->next = unit;
  } else {
    list->first = unit;
  }
  list->last = unit;
}

static inline struct nm_unit *take(struct list *list) {
  struct nm_unit *unit = list->first;
  if (unit) list->first = unit->next;
  return unit;
}

// The port of a queue, from which loads wait for words.
static inline uint64_t port_of(int queue) { return queue ? NOCCL_PORT_RECEIVE_1 : NOCCL_PORT_RECEIVE_0; }

static inline unsigned words_at(uint64_t status, int queue) { return status >> (8 * queue) & 0xff; }

// Words of a unit behind header and tag, and its rank.
static inline uint32_t words_of(uint64_t head) { return (head >> 16 & 0xff) - 1; }

static inline int rank_of(uint64_t head) { return (int)(head >> 48); }

// The unit of each queue of which not all words have come: where they go, and in which unit if it is for a list.
static struct begun {
  int is_begun;
  uint32_t left;
  char *to;
  struct nm_unit *unit;
} begun[QUEUES];

// Reads so many words of the unit that a queue has begun.
static inline void read_words(int queue, uint32_t words) {
  uint64_t port = port_of(queue);
  char *place = begun[queue].to;
  NM_READ_ALL(place, 4 * words, noccl_load64(port), noccl_load(port));
  begun[queue].to = place + 4 * words;
  begun[queue].left -= words;
}

// The place of the next words of the message that is expected.
static inline char *take_place(struct list *list, uint32_t words) {
  assert(4 * words <= list->left && "a receive of as many bytes as were sent");
  char *place = list->place;
  list->place += 4 * words;
  list->left -= 4 * words;
  return place;
}

// Begins the unit behind header and tag that have been read: for the place of its message if it is expected.
static inline void begin_unit(int queue, uint64_t head) {
  int rank = rank_of(head);
  uint32_t words = words_of(head);
  struct list *list = list_of(queue, rank);
  struct begun *new = &begun[queue];
  new->is_begun = 1;
  new->left = words;
  new->unit = list->left ? 0 : new_unit(rank, words);
  new->to = new->unit ? (char *)new->unit->data : take_place(list, words);
}

static inline void end_unit(int queue) {
  begun[queue].is_begun = 0;
  if (begun[queue].unit) append(queue, begun[queue].unit);
}

// The unit that a queue has begun, to its end, which is waited for: not while words of an own packet are still to be written.
static void read_rest(int queue) {
  read_words(queue, begun[queue].left);
  end_unit(queue);
}

// A unit whose words have all come, or will while nobody waits for this rank: to its list, or to the place of its message.
static inline __attribute__((always_inline)) void read_whole(int queue, uint64_t head) {
  uint64_t port = port_of(queue);
  uint32_t words = words_of(head);
  struct list *list = list_of(queue, rank_of(head));
  struct nm_unit *unit = 0;
  char *to = list->left ? take_place(list, words) : (char *)(unit = new_unit(rank_of(head), words))->data;
  NM_READ_ALL(to, 4 * words, noccl_load64(port), noccl_load(port));
  if (unit) append(queue, unit);
}

// Takes in the units of which so many words have come, the last one as far as it has come.
static inline __attribute__((always_inline)) void take_in(int queue, uint32_t words) {
  if (begun[queue].is_begun) {
    if (words < begun[queue].left) {
      // In pairs, so that the rest is read in pairs, too.
      read_words(queue, words / 2 * 2);
      return;
    }
    words -= begun[queue].left;
    read_rest(queue);
  }
  while (words >= 2) {
    uint64_t head = noccl_load64(port_of(queue));
    words -= 2;
    if (words < words_of(head)) {
      begin_unit(queue, head);
      read_words(queue, words / 2 * 2);
      return;
    }
    words -= words_of(head);
    read_whole(queue, head);
  }
}

// Looks before what has come is taken in: a unit that waits in its queue is received without a list.
#define LOOKS 12

// Of the ports STATUS and WAIT: words that have come for the library's queues, and 64 or more, which are whole units and half of the store.
#define HAVE_COME UINT64_C(0xffff)
#define MANY_HAVE_COME UINT64_C(0xc0c0)

void nm_wait(unsigned queues, uint64_t port, uint64_t counts) {
  for (unsigned looks = 0;; looks++) {
    uint64_t status = noccl_load64(port);
    if (status & counts) return;
    if (status & MANY_HAVE_COME || (looks >= LOOKS && status & HAVE_COME)) nm_take_in(queues);
  }
}

void nm_take_in(unsigned queues) {
  uint64_t status = noccl_load64(NOCCL_PORT_STATUS);
  for (int queue = 0; queue < QUEUES; queue++)
    if (queues >> queue & 1 && words_at(status, queue)) take_in(queue, words_at(status, queue));
}

// Waits for words of a queue, and leaves them there. Those of the others are taken in meanwhile: all share one store, and a packet of
// this queue may stand behind one of another.
static inline void wait_for(int queue) {
  nm_until(NOCCL_PORT_WAIT, UINT64_C(0xff) << (8 * queue), NM_ALL_QUEUES & ~(1u << queue));
}

static void read_unit(int queue) {
  if (begun[queue].is_begun) {
    read_rest(queue);
  } else {
    read_whole(queue, noccl_load64(port_of(queue)));
  }
}

struct nm_unit *nm_next_unit(void) {
  for (;;) {
    struct nm_unit *unit = take(&of_mpi);
    if (unit) {
      if (unit->rank != nm_here.rank) nm_charge_words(unit->words);
      return unit;
    }
    wait_for(NM_QUEUE_MPI);
    read_unit(NM_QUEUE_MPI);
  }
}

struct nm_unit *nm_come_unit(void) {
  nm_take_in(NM_ALL_QUEUES);
  struct nm_unit *unit = take(&of_mpi);
  if (unit && unit->rank != nm_here.rank) nm_charge_words(unit->words);
  return unit;
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
    append(queue, unit);
    envelope = 0;
    data += now;
    bytes -= now;
  } while (bytes);
}

static inline void read_kept(const uint32_t *from, char *data, size_t bytes) {
  NM_READ_ALL(data, bytes, (from += 2, *(const two_words *)(from - 2)), *from++);
}

// A unit that has come early.
static inline __attribute__((always_inline)) void receive_kept(struct nm_unit *unit, char *data, size_t bytes) {
  assert(unit->words == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
  read_kept(unit->data, data, bytes);
  nm_release(unit);
}

// The words of the right unit: they need no list between.
static inline __attribute__((always_inline)) void read_data(uint64_t head, char *data, size_t bytes) {
  uint64_t port = port_of(NM_QUEUE_MESSAGES);
  assert(words_of(head) == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
  NM_READ_ALL(data, bytes, noccl_load64(port), noccl_load(port));
}

// The unit that is waited for, behind the head of another rank's.
static __attribute__((noinline)) void receive_behind(uint64_t head, int rank, char *data, size_t bytes) {
  do {
    read_whole(NM_QUEUE_MESSAGES, head);
    wait_for(NM_QUEUE_MESSAGES);
    head = noccl_load64(port_of(NM_QUEUE_MESSAGES));
  } while (rank_of(head) != rank);
  read_data(head, data, bytes);
}

// A unit that has not come: the one that a queue has begun may be it.
static __attribute__((noinline)) void receive_late(int rank, char *data, size_t bytes) {
  if (begun[NM_QUEUE_MESSAGES].is_begun) {
    read_rest(NM_QUEUE_MESSAGES);
    struct nm_unit *unit = take(&of_rank[rank]);
    if (unit) {
      receive_kept(unit, data, bytes);
      return;
    }
  }
  wait_for(NM_QUEUE_MESSAGES);
  uint64_t head = noccl_load64(port_of(NM_QUEUE_MESSAGES));
  if (rank_of(head) == rank) {
    read_data(head, data, bytes);
  } else {
    receive_behind(head, rank, data, bytes);
  }
}

// What most receives are: the unit has come early, or is the next one and waited for. Others are calls at the end, so that these save no
// registers.
static inline __attribute__((always_inline)) void receive_unit(int rank, char *data, size_t bytes) {
  struct nm_unit *unit = take(&of_rank[rank]);
  if (unit) {
    receive_kept(unit, data, bytes);
    return;
  }
  if (begun[NM_QUEUE_MESSAGES].is_begun || !words_at(noccl_load64(NOCCL_PORT_WAIT), NM_QUEUE_MESSAGES)) {
    receive_late(rank, data, bytes);
    return;
  }
  uint64_t head = noccl_load64(port_of(NM_QUEUE_MESSAGES));
  if (rank_of(head) == rank) {
    read_data(head, data, bytes);
  } else {
    receive_behind(head, rank, data, bytes);
  }
}

void nm_expect(int rank, void *data, size_t bytes) {
  // Units before it are in the list, or in the middle of it; words beyond the data would be written at another length.
  if (bytes % 4 || of_rank[rank].first || begun[NM_QUEUE_MESSAGES].is_begun || rank == nm_here.rank) return;
  of_rank[rank].place = data;
  of_rank[rank].left = bytes;
}

// What has not come of a message that is expected.
static __attribute__((noinline)) void receive_expected(int rank) {
  struct list *list = &of_rank[rank];
  if (begun[NM_QUEUE_MESSAGES].is_begun) read_rest(NM_QUEUE_MESSAGES);
  while (list->left) {
    wait_for(NM_QUEUE_MESSAGES);
    uint64_t head = noccl_load64(port_of(NM_QUEUE_MESSAGES));
    if (rank_of(head) != rank) {
      read_whole(NM_QUEUE_MESSAGES, head);
      continue;
    }
    size_t now = list->left < NM_UNIT_BYTES ? list->left : NM_UNIT_BYTES;
    read_data(head, take_place(list, now / 4), now);
  }
  list->place = 0;
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
  if (of_rank[rank].place) {
    receive_expected(rank);
  } else if (bytes <= NM_UNIT_BYTES) {
    receive_unit(rank, data, bytes);
  } else {
    receive_long(rank, data, bytes);
  }
  if (rank != nm_here.rank) nm_charge_words((uint32_t)((bytes % NM_UNIT_BYTES + 3) / 4));
  nm_leave_receive(entered);
}
