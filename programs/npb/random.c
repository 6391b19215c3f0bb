// SPDX-License-Identifier: Apache-2.0
// Random numbers from any place of the sequence.

#include "npb.h"

uint64_t npb_power(uint64_t a, uint64_t exponent) {
  uint64_t power = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) power = npb_multiply(power, a);
    a = npb_multiply(a, a);
  }
  return power;
}

uint64_t npb_jump(uint64_t state, uint64_t numbers) { return npb_multiply(state, npb_power(NPB_A, numbers)); }

void npb_randoms(uint64_t *state, double *values, long count) {
  for (long i = 0; i < count; i++) values[i] = npb_random(state);
}
