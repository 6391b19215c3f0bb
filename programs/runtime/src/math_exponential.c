// SPDX-License-Identifier: Apache-2.0
// Exponential, logarithm and powers by series over pairs of doubles.
//
// log x = k ln 2 + 2 artanh((m - 1) / (m + 1)) with m between the roots of 1/2 and 2; exp x = 2^k exp r with r at most
// ln 2 / 2. Both series are cut where the rest is below 2^-80, so the final rounding is nearly the only error: powers
// need it, the others get it for nothing. Abramowitz and Stegun, 4.1.27 and 4.2.1.

#include <math.h>

#include "pairs.h"

static const double ROOT_HALF = 0x1.6a09e667f3bcdp-1;

// k ln 2 for whole k below 2^12, exact but for the third part.
static pair multiple_of_ln2(double k) {
  pair low = sum(k * LN2[1], k * LN2[2]);
  pair high = sum(k * LN2[0], low.high);
  return normalized(high.high, high.low + low.low);
}

// The logarithm of a positive finite number.
static pair logarithm(double x) {
  int exponent;
  double m = frexp(x, &exponent);
  if (m < ROOT_HALF) {
    m *= 2;
    exponent--;
  }
  pair s = divide((pair){m - 1, 0}, sum(m, 1));
  pair square = multiply(s, s);
  pair series = INVERSE_ODD[17];
  for (int n = 16; n >= 0; n--) series = add(multiply(series, square), INVERSE_ODD[n]);
  series = multiply(series, s);
  return add(multiple_of_ln2(exponent), (pair){2 * series.high, 2 * series.low});
}

// exp of a pair; overflow and underflow as `scalbn` has them.
static double exponential(pair x) {
  if (x.high > 710) return INFINITY;
  if (x.high < -746) return 0;
  double k = round(x.high * 0x1.71547652b82fep+0);
  pair multiple = multiple_of_ln2(k);
  pair r = add(x, (pair){-multiple.high, -multiple.low});
  pair series = INVERSE_FACTORIAL[20];
  for (int n = 19; n >= 0; n--) series = add(multiply(series, r), INVERSE_FACTORIAL[n]);
  // One rounding while the result is normal.
  return scalbn(series.high + series.low, (int)k);
}

double exp(double x) { return isnan(x) ? x : exponential((pair){x, 0}); }

double log(double x) {
  if (isnan(x) || x == INFINITY) return x;
  if (x == 0) return -1 / fabs(x);
  if (x < 0) return NAN;
  pair result = logarithm(x);
  return result.high + result.low;
}

double log2(double x) {
  double y = log(x);
  if (!isfinite(y) || x <= 0) return y;
  pair result = divide(logarithm(x), multiple_of_ln2(1));
  return result.high + result.low;
}

double log10(double x) {
  double y = log(x);
  if (!isfinite(y) || x <= 0) return y;
  pair result = divide(logarithm(x), logarithm(10));
  return result.high + result.low;
}

// Zero and infinity to a power.
static double power_of_end(double x, double y, int is_odd) {
  double magnitude = (x == 0) == (y > 0) ? 0 : INFINITY;
  return is_odd ? copysign(magnitude, x) : magnitude;
}

double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (isnan(x) || isnan(y)) return x + y;
  if (isinf(y)) {
    if (fabs(x) == 1) return 1;
    return (fabs(x) > 1) == (y > 0) ? INFINITY : 0;
  }
  int is_whole = trunc(y) == y;
  int is_odd = is_whole && fabs(fmod(y, 2)) == 1;
  if (x == 0 || isinf(x)) return power_of_end(x, y, is_odd);
  if (x < 0 && !is_whole) return NAN;
  double sign = x < 0 && is_odd ? -1 : 1;
  pair logarithm_of_x = logarithm(fabs(x));
  // Far beyond the range of exp, so that the product stays finite.
  if (fabs(y) > 0x1p64) y = copysign(0x1p64, y);
  return sign * exponential(multiply(logarithm_of_x, (pair){y, 0}));
}
