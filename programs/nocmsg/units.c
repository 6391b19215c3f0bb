// SPDX-License-Identifier: Apache-2.0
// Units from the queues, and those that come early.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "credits.h"
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
  nm_add_pending(rank);
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
  nm_add_pending(rank_of(head));
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

void nm_own_wait(unsigned queues, uint64_t port, uint64_t counts) {
  for (unsigned looks = 0;; looks++) {
    uint64_t status = noccl_load64(port);
    if (status & counts) return;
    if (status & NM_CREDIT_WORDS) nm_read_credits();
    if (status & NM_MANY_HAVE_COME || (looks >= NM_LOOKS && status & NM_HAVE_COME)) {
      nm_take_in(queues);
      nm_return_credits();
    }
  }
}

void nm_wait(unsigned queues, uint64_t port, uint64_t counts) __attribute__((weak, alias("nm_own_wait")));

void nm_take_in(unsigned queues) {
  uint64_t status = noccl_load64(NOCCL_PORT_STATUS);
  for (int queue = 0; queue < QUEUES; queue++)
    if (queues >> queue & 1 && words_at(status, queue)) take_in(queue, words_at(status, queue));
  nm_read_credits();
}

struct nm_unit *nm_come_unit(void) {
  nm_take_in(NM_ALL_QUEUES);
  nm_return_credits();
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
  nm_add_pending(rank_of(head));
  assert(words_of(head) == (bytes + 3) / 4 && "a receive of as many bytes as were sent");
  NM_READ_ALL(data, bytes, noccl_load64(port), noccl_load(port));
}

#ifdef NM_CREDITS
#include "receive_credits.h"
#else
#include "receive_direct.h"
#endif

void nm_expect(int rank, void *data, size_t bytes) {
  // Units before it are in the list, or in the middle of it; words beyond the data would be written at another length.
  if (bytes % 4 || of_rank[rank].first || begun[NM_QUEUE_MESSAGES].is_begun || rank == nm_here.rank) return;
  of_rank[rank].place = data;
  of_rank[rank].left = bytes;
}

static __attribute__((noinline)) void receive_long(int rank, char *data, size_t bytes) {
  for (; bytes > NM_UNIT_BYTES; bytes -= NM_UNIT_BYTES, data += NM_UNIT_BYTES) {
    receive_unit(rank, data, NM_UNIT_BYTES);
    if (rank != nm_here.rank) nm_charge_words(NM_UNIT_BYTES / 4);
  }
  receive_unit(rank, data, bytes);
}

void nm_own_receive(int rank, void *data, size_t bytes) {
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

void nm_receive(int rank, void *data, size_t bytes) __attribute__((weak, alias("nm_own_receive")));
