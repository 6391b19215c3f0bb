// SPDX-License-Identifier: Apache-2.0
// Credits travel in packets of header and tag: the tag has the queue in its lowest bits, then how many are returned, and the rank.

#include "credits.h"

#ifdef NM_CREDITS

#include <assert.h>
#include <stdlib.h>

#include "noccl.h"
#include "place.h"

#define QUEUE 2
#define COUNT_SHIFT 3
#define COUNT_BITS UINT64_C(0x1fff)
#define SPACE_FOR_TWO (UINT64_C(0xfe) << 40)

struct nm_credits nm_credits;

void nm_init_credits(void) {
  size_t ranks = (size_t)nm_here.ranks;
  nm_credits.left = calloc(3 * ranks, sizeof *nm_credits.left);
  assert(nm_credits.left && "memory for credits");
  nm_credits.pending = nm_credits.left + ranks;
  nm_credits.due = nm_credits.pending + ranks;
  for (size_t rank = 0; rank < ranks; rank++) nm_credits.left[rank] = NM_CREDITS;
}

// One store of two words: nothing comes between.
static void give(int rank) {
  uint32_t tag = QUEUE | (uint32_t)nm_credits.pending[rank] << COUNT_SHIFT | (uint32_t)nm_here.rank << 16;
  nm_credits.pending[rank] = 0;
  noccl_store64(NOCCL_PORT_SEND, nm_here.tiles[rank] | UINT64_C(1) << 16 | (uint64_t)tag << 32);
}

// Who waits for space takes in what comes, so that more may be pending.
void nm_return_due(void) {
  while (nm_credits.num_due) {
    while (!(noccl_load64(NOCCL_PORT_STATUS) & SPACE_FOR_TWO)) nm_take_in(NM_ALL_QUEUES);
    give(nm_credits.due[--nm_credits.num_due]);
  }
}

void nm_read_credits(void) {
  uint64_t words = noccl_load64(NOCCL_PORT_STATUS) >> (8 * QUEUE) & 0xff;
  for (; words >= 2; words -= 2) {
    uint64_t head = noccl_load64(NOCCL_PORT_RECEIVE_2);
    nm_credits.left[head >> 48] += (uint16_t)(head >> (32 + COUNT_SHIFT) & COUNT_BITS);
  }
}

void nm_take_credit(int rank) {
  while (!nm_credits.left[rank]) {
    noccl_load64(NOCCL_PORT_WAIT);
    nm_take_in(NM_ALL_QUEUES);
    nm_return_credits();
  }
  nm_credits.left[rank]--;
  nm_credits.is_writing = 1;
}

#endif
