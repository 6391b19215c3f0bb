// SPDX-License-Identifier: Apache-2.0
// Messages of the last rank to the first one, one after the other. Rank 0 prints their bytes and the cycles from the first send to the end
// of the last receive; both begin in one cycle.

#include <stdio.h>
#include <stdlib.h>

#include "cost.h"
#include "nocmsg.h"

enum { MESSAGES = 100, MOST_BYTES = 4096, APART_CYCLES = 4000 };

static uint64_t begin(void) {
  nm_barrier();
  uint64_t start = nm_clock() + APART_CYCLES;
  nm_broadcast(0, &start, sizeof start);
  while (nm_clock() < start) {
  }
  return start;
}

static void stream(char *data, size_t bytes) {
  uint64_t start = begin();
  for (int message = 0; message < MESSAGES; message++) {
    if (nm_rank() == nm_ranks() - 1) nm_send(0, data, bytes);
    if (nm_rank() == 0) nm_receive(nm_ranks() - 1, data, bytes);
  }
  if (nm_rank() == 0) printf("%zu %lu\n", bytes, nm_clock() - start);
}

int main(void) {
  nm_init();
  char *data = calloc(1, MOST_BYTES);
  if (!data || nm_ranks() < 2) return 1;
  for (size_t bytes = 8; bytes <= MOST_BYTES; bytes *= bytes < 128 ? 16 : 32) stream(data, bytes);
  return 0;
}
