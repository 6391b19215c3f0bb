// SPDX-License-Identifier: Apache-2.0
// A random program of ranks: every rank draws the same steps from the seed, which whoever runs it writes over `stress_seed`. All bytes are
// compared, and messages of each sender must keep their order. Prints a line per fault, and the cycles in which this rank entered and left
// what nobody may leave before all have entered.
#include <mpi.h>
#include <nocmsg.h>
#include <noccl.h>
#include <stdio.h>

#include "draw.h"

volatile uint64_t stress_seed = 1, stress_steps = 16;

#define MOST_FAULTS 4
#define MOST_SYNCS 256

int rank, ranks, step;

static uint64_t shared, own;
static int faults, syncs;
static uint64_t entered[MOST_SYNCS], left[MOST_SYNCS];

static uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
  return value ^ value >> 31;
}

static uint64_t next(uint64_t *state) { return mixed(*state += UINT64_C(0x9e3779b97f4a7c15)); }

uint64_t draw(uint64_t limit) { return (next(&shared) >> 11) % limit; }

static uint64_t octaves(uint64_t *state, uint64_t most) {
  int highest = 63 - __builtin_clzll(most);
  uint64_t low = UINT64_C(1) << next(state) % (uint64_t)highest;
  return low + next(state) % low;
}

size_t draw_bytes(size_t most) { return draw(8) ? octaves(&shared, most) : 0; }

void delay(void) {
  if (next(&own) % 3) return;
  uint64_t until = noccl_cycle() + octaves(&own, 4096);
  while (noccl_cycle() < until) continue;
}

unsigned char byte_of(int from, int to, int number, size_t at) {
  uint64_t key = (uint64_t)from << 48 | (uint64_t)(to & 0xffff) << 32 | (uint64_t)(unsigned)number;
  return (unsigned char)(mixed(key) + at * 31 + (at >> 8));
}

void fill(void *data, size_t bytes, int from, int to, int number) {
  unsigned char *to_fill = data, first = byte_of(from, to, number, 0);
  for (size_t at = 0; at < bytes; at++) to_fill[at] = (unsigned char)(first + at * 31 + (at >> 8));
}

void compare(const void *data, size_t bytes, int from, int to, int number, const char *what) {
  const unsigned char *found = data;
  unsigned char first = byte_of(from, to, number, 0);
  for (size_t at = 0; at < bytes; at++) {
    unsigned char expected = (unsigned char)(first + at * 31 + (at >> 8));
    if (found[at] == expected) continue;
    fault(what, from, found[at], expected);
    return;
  }
}

void fault(const char *what, int other, long found, long expected) {
  if (faults++ >= MOST_FAULTS) return;
  printf("fault step %d, %s, other rank %d: %ld in place of %ld\n", step, what, other, found, expected);
}

void enter(void) {
  if (syncs < MOST_SYNCS) entered[syncs] = noccl_cycle();
}

void leave(void) {
  if (syncs < MOST_SYNCS) left[syncs++] = noccl_cycle();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  shared = mixed(stress_seed);
  own = mixed(shared + 1 + (uint64_t)rank);
  for (step = 0; step < (int)stress_steps; step++) {
    delay();
    switch (draw(10)) {
      case 0: messages_of_library(); break;
      case 1:
      case 2: messages_of_mpi(); break;
      case 3: ring(); break;
      case 4: any_tag(); break;
      case 5: broadcasts(); break;
      case 6:
      case 7: collective_of_library(); break;
      default: collective_of_mpi(); break;
    }
    if (draw(6) == 0) receive_late();
  }
  receive_late();
  MPI_Finalize();
  for (int sync = 0; sync < syncs; sync++) printf("sync %lu %lu\n", entered[sync], left[sync]);
  printf("faults %d\n", faults);
  return 0;
}
