// SPDX-License-Identifier: Apache-2.0
// Functions whose results are exact or correctly rounded: parts of numbers, roots, remainders.

#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Above it all numbers are whole.
static const double WHOLE = 0x1p52;

// For their addresses; calls are instructions.
double(sqrt)(double x) { return sqrt(x); }
float(sqrtf)(float x) { return sqrtf(x); }
double(fma)(double x, double y, double z) { return fma(x, y, z); }
double(fabs)(double x) { return fabs(x); }
float(fabsf)(float x) { return fabsf(x); }
double(copysign)(double x, double y) { return copysign(x, y); }

double trunc(double x) {
  if (!(fabs(x) < WHOLE)) return x;
  return copysign((double)(int64_t)x, x);
}

double floor(double x) {
  double whole = trunc(x);
  return whole > x ? whole - 1 : whole;
}

double ceil(double x) {
  double whole = trunc(x);
  return whole < x ? copysign(whole + 1, x) : whole;
}

double round(double x) {
  double whole = trunc(x);
  return fabs(x - whole) >= 0.5 ? whole + copysign(1, x) : whole;
}

double fmin(double x, double y) {
  if (isnan(x)) return y;
  if (isnan(y)) return x;
  return x < y || (x == y && signbit(x)) ? x : y;
}

double fmax(double x, double y) {
  if (isnan(x)) return y;
  if (isnan(y)) return x;
  return x > y || (x == y && !signbit(x)) ? x : y;
}

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(isinf(x) ? 0 : x - *whole, x);
}

double frexp(double x, int *exponent) {
  *exponent = 0;
  if (x == 0 || !isfinite(x)) return x;
  int extra = 0;
  if (fabs(x) < 0x1p-1022) {
    x *= 0x1p54;
    extra = 54;
  }
  uint64_t bits = bits_of(x);
  *exponent = (int)(bits >> 52 & 0x7ff) - 1022 - extra;
  return of_bits((bits & ~(0x7ffull << 52)) | 1022ull << 52);
}

// Steps of powers that are numbers themselves; the last one rounds, and no earlier one.
double scalbn(double x, int exponent) {
  while (exponent > 1023) {
    x *= 0x1p1023;
    exponent -= 1023;
    if (!isfinite(x)) return x;
  }
  while (exponent < -1022) {
    // Not below the normal numbers before the last step: 53 bits stay.
    x *= 0x1p-1022 * 0x1p53;
    exponent += 1022 - 53;
    if (x == 0) return x;
  }
  return x * of_bits((uint64_t)(exponent + 1023) << 52);
}

double ldexp(double x, int exponent) { return scalbn(x, exponent); }

// x and y as whole multiples of the smallest step of y; shifts and subtractions keep them exact.
double fmod(double x, double y) {
  if (isnan(x) || isnan(y) || isinf(x) || y == 0) return (x * y) / (x * y);
  double rest = fabs(x), divisor = fabs(y);
  if (rest < divisor) return x;
  int of_rest, of_divisor;
  uint64_t a = (uint64_t)scalbn(frexp(rest, &of_rest), 53);
  uint64_t b = (uint64_t)scalbn(frexp(divisor, &of_divisor), 53);
  for (int shift = of_rest - of_divisor; shift > 0; shift--) {
    if (a >= b) a -= b;
    a <<= 1;
  }
  if (a >= b) a -= b;
  return copysign(scalbn((double)a, of_divisor - 53), x);
}
