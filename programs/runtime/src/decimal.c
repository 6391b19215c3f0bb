// SPDX-License-Identifier: Apache-2.0
// Numbers as decimal digits, exactly: m 2^e is an integer, or m 5^-e with the point moved by -e.

#include "decimal.h"

#include <math.h>
#include <stdint.h>

// In base 10^9, the lowest first. The longest has 767 digits.
enum { BASE = 1000000000, WORDS = 88 };

static int multiply(uint32_t *words, int count, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < count; i++) {
    carry += (uint64_t)words[i] * factor;
    words[i] = (uint32_t)(carry % BASE);
    carry /= BASE;
  }
  if (carry) words[count++] = (uint32_t)carry;
  return count;
}

// Multiplies by a power, as many at once as fit into a factor.
static int multiply_power(uint32_t *words, int count, uint32_t base, int exponent) {
  while (exponent > 0) {
    uint32_t factor = 1;
    while (exponent > 0 && factor < BASE / base) {
      factor *= base;
      exponent--;
    }
    count = multiply(words, count, factor);
  }
  return count;
}

void __noccl_decimal(double x, decimal *result) {
  result->count = result->point = 0;
  if (x == 0) return;
  int exponent;
  uint64_t m = (uint64_t)scalbn(frexp(fabs(x), &exponent), 53);
  int zeros = __builtin_ctzll(m);
  m >>= zeros;
  exponent += zeros - 53;
  uint32_t words[WORDS] = {(uint32_t)(m % BASE), (uint32_t)(m / BASE)};
  int count = m >= BASE ? 2 : 1;
  if (exponent >= 0) {
    count = multiply_power(words, count, 2, exponent);
  } else {
    count = multiply_power(words, count, 5, -exponent);
  }
  char *out = result->digits;
  for (int i = count - 1; i >= 0; i--) {
    for (uint32_t unit = BASE / 10, rest = words[i]; unit; rest %= unit, unit /= 10) {
      char digit = (char)('0' + rest / unit);
      if (digit != '0' || out != result->digits) *out++ = digit;
    }
  }
  int all = (int)(out - result->digits);
  result->point = exponent < 0 ? all + exponent : all;
  while (out[-1] == '0') out--;
  result->count = (int)(out - result->digits);
}

void __noccl_round(decimal *value, int digits) {
  if (digits >= value->count) return;
  char *all = value->digits;
  int is_up = 0;
  if (digits >= 0) {
    int is_tie = all[digits] == '5' && digits + 1 == value->count;
    int is_odd = digits > 0 && (all[digits - 1] & 1);
    is_up = all[digits] >= '5' && (!is_tie || is_odd);
  }
  value->count = digits < 0 ? 0 : digits;
  if (!is_up) {
    while (value->count > 0 && all[value->count - 1] == '0') value->count--;
    return;
  }
  while (value->count > 0 && all[value->count - 1] == '9') value->count--;
  if (value->count > 0) {
    all[value->count - 1]++;
    return;
  }
  // All nines, or nothing: the next power of ten.
  all[0] = '1';
  value->count = 1;
  value->point++;
}
