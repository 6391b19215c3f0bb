// SPDX-License-Identifier: Apache-2.0
// Arithmetic on pairs of doubles: about 106 bits. Dekker, A floating-point technique for extending the available
// precision (1971), with the product's error by a fused multiplication.
#ifndef NOCCL_PAIRS_H
#define NOCCL_PAIRS_H

#include "math_constants.h"

// The sum of two numbers, the first not smaller, as a pair.
static inline pair normalized(double high, double low) {
  double sum = high + low;
  return (pair){sum, low - (sum - high)};
}

// The sum of any two numbers, exactly.
static inline pair sum(double a, double b) {
  double high = a + b;
  double of_b = high - a;
  return (pair){high, (a - (high - of_b)) + (b - of_b)};
}

// The product of two numbers, exactly.
static inline pair product(double a, double b) {
  double high = a * b;
  return (pair){high, __builtin_fma(a, b, -high)};
}

static inline pair add(pair a, pair b) {
  pair high = sum(a.high, b.high);
  pair low = sum(a.low, b.low);
  high = normalized(high.high, high.low + low.high);
  return normalized(high.high, high.low + low.low);
}

static inline pair multiply(pair a, pair b) {
  pair high = product(a.high, b.high);
  return normalized(high.high, high.low + (a.high * b.low + a.low * b.high));
}

static inline pair divide(pair a, pair b) {
  double first = a.high / b.high;
  pair back = multiply((pair){first, 0}, b);
  pair rest = add(a, (pair){-back.high, -back.low});
  double second = rest.high / b.high;
  return normalized(first, second);
}

#endif
