// SPDX-License-Identifier: Apache-2.0
// Work of one core without messages: a sparse product whose columns change, and counts of random keys.
// `noccl bench` executes it on 64 cores of a network, `crates/noccl-riscv/examples/private_work.rs` on cores alone.

#include <stdint.h>

#ifndef ROUNDS
#define ROUNDS 100000
#endif

enum { N = 1024, PER_ROW = 8 };

static double first[N], second[N];
static uint32_t columns[PER_ROW * N], counts[N];

int main(void) {
  double *x = first, *y = second;
  uint32_t state = 1;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < N; i++) {
      double sum = 0;
      for (int j = 0; j < PER_ROW; j++) sum += x[columns[PER_ROW * i + j] % N] * 0.1;
      y[i] = sum + 1;
    }
    for (int i = 0; i < PER_ROW * N; i++) {
      state = state * 1664525u + 1013904223u;
      columns[i] = state >> 16;
      counts[state >> 22]++;
    }
    double *other = x;
    x = y, y = other;
  }
  return (int)counts[0];
}
