// SPDX-License-Identifier: Apache-2.0
// Credits travel in packets of header and tag, each for half of all of a pair.

#include "credits.h"

#ifdef NM_CREDITS
#include <assert.h>
#include <stdlib.h>

#include "noccl.h"
#include "place.h"

#if NM_CREDITS < 2
#error "NM_CREDITS: at least 2"
#endif

// The queue of credits, and its words in the status.
#define QUEUE 2
#define HAVE_COME (UINT64_C(0xff) << (8 * QUEUE))
#define SPACE_FOR_TWO (UINT64_C(0xfe) << 40)

// Units that a packet gives back.
#define GIVEN (NM_CREDITS / 2)

// By rank: units that may be sent, and that have been taken and not given back. How many ranks are owed a packet.
static uint16_t *left, *owed;
static int to_give;

void nm_init_credits(void) {
  left = malloc(2 * sizeof *left * (size_t)nm_here.ranks);
  assert(left && "memory for credits");
  owed = left + nm_here.ranks;
  for (int rank = 0; rank < nm_here.ranks; rank++) {
    left[rank] = NM_CREDITS;
    owed[rank] = 0;
  }
}

void nm_owe_credit(int rank) {
  if (rank == nm_here.rank) return;
  owed[rank]++;
  if (owed[rank] == GIVEN) to_give++;
}

static void give(int rank) {
  while (!(noccl_load64(NOCCL_PORT_STATUS) & SPACE_FOR_TWO)) nm_take_in(NM_ALL_QUEUES);
  uint32_t tag = QUEUE | (uint32_t)nm_here.rank << 16;
  noccl_store64(NOCCL_PORT_SEND, nm_here.tiles[rank] | UINT64_C(1) << 16 | (uint64_t)tag << 32);
  owed[rank] -= GIVEN;
  if (owed[rank] < GIVEN) to_give--;
}

void nm_give_credits(void) {
  for (int rank = 0; to_give && rank < nm_here.ranks; rank++)
    while (owed[rank] >= GIVEN) give(rank);
}

void nm_read_credits(void) {
  for (uint64_t words = (noccl_load64(NOCCL_PORT_STATUS) & HAVE_COME) >> (8 * QUEUE); words >= 2; words -= 2) {
    uint64_t head = noccl_load64(NOCCL_PORT_RECEIVE_2);
    left[head >> 48] += GIVEN;
  }
}

void nm_take_credit(int rank) {
  nm_give_credits();
  while (!left[rank]) {
    nm_take_in(NM_ALL_QUEUES);
    nm_give_credits();
  }
  left[rank]--;
}
#endif
