// SPDX-License-Identifier: Apache-2.0
// Cycles of the library's collectives, each begun by all ranks in one cycle. Every rank prints when it has ended.

#include <stdio.h>
#include <stdlib.h>

#include "noccl.h"
#include "nocmsg.h"

// Longer than ranks are apart behind a barrier and a broadcast.
#define APART_CYCLES 4000

static uint64_t cycle(void) {
  uint64_t now;
  __asm__ volatile("rdcycle %0" : "=r"(now));
  return now;
}

static uint64_t begin(void) {
  nm_barrier();
  uint64_t start = cycle() + APART_CYCLES;
  nm_broadcast(0, &start, sizeof start);
  while (cycle() < start) {
  }
  return start;
}

static void add(void *into, const void *from, size_t count) {
  uint64_t *sums = into;
  const uint64_t *operands = from;
  for (size_t i = 0; i < count; i++) sums[i] += operands[i];
}

static char *data, *result;

static void barrier(size_t bytes) {
  (void)bytes;
  nm_barrier();
}
static void broadcast(size_t bytes) { nm_broadcast(0, data, bytes); }
static void reduce(size_t bytes) { nm_reduce(0, data, result, bytes / 8, 8, add); }
static void all_reduce(size_t bytes) { nm_all_reduce(data, result, bytes / 8, 8, add); }
static void all_to_all(size_t bytes) { nm_all_to_all(data, result, bytes); }
static void rounds(size_t bytes) { nm_all_to_all_rounds(data, result, bytes); }

static const struct {
  const char *name;
  void (*run)(size_t bytes);
  size_t most_bytes;
} cases[] = {
    {"barrier", barrier, 0},           {"broadcast", broadcast, 65536},  {"reduce", reduce, 65536},
    {"all_reduce", all_reduce, 65536}, {"all_to_all", all_to_all, 1024}, {"all_to_all_rounds", rounds, 1024},
};

static const size_t sizes[] = {0, 8, 32, 128, 256, 1024, 4096, 16384, 65536};

int main(void) {
  nm_init();
  data = calloc((size_t)nm_ranks(), 1024 > 65536 / nm_ranks() ? 1024 : 65536 / (size_t)nm_ranks() + 4);
  result = calloc((size_t)nm_ranks(), 1024 > 65536 / nm_ranks() ? 1024 : 65536 / (size_t)nm_ranks() + 4);
  for (size_t number = 0; number < sizeof cases / sizeof *cases; number++) {
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
      if (sizes[size] > cases[number].most_bytes || (sizes[size] == 0) != (number == 0)) continue;
      // Once before, for whatever is made on first use.
      begin();
      cases[number].run(sizes[size]);
      uint64_t start = begin();
      cases[number].run(sizes[size]);
      printf("%s %zu %lu\n", cases[number].name, sizes[size], cycle() - start);
    }
  }
  return 0;
}
