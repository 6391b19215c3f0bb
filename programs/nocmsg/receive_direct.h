// SPDX-License-Identifier: Apache-2.0
// A part of units.c: receives of a library without credits. What is waited for stays in its queue meanwhile, and is read from there.

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
