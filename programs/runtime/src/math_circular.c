// SPDX-License-Identifier: Apache-2.0
// Sine, cosine and tangent.
//
// Every argument is reduced with enough bits of 2/pi (Payne and Hanek, Radian reduction for trigonometric functions,
// 1983): the product with the 53 bits of the argument is computed in 256 bits from where its whole part ends, so that
// 190 bits of the fraction are right. Then Taylor series up to pi/4.

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "pairs.h"

typedef unsigned __int128 wide;

// 64 bits of 2/pi from bit `from` after the point on; bits before the point are zero.
static uint64_t bits_of_two_over_pi(int from) {
  if (from <= -64) return 0;
  if (from < 0) return TWO_OVER_PI[0] >> -from;
  int word = from / 64, shift = from % 64;
  uint64_t high = TWO_OVER_PI[word] << shift;
  return shift == 0 ? high : high | TWO_OVER_PI[word + 1] >> (64 - shift);
}

// The rest of x after whole multiples of pi/2, between -pi/4 and pi/4, and the number of multiples modulo 4.
static pair reduced(double x, int *quadrant) {
  int exponent;
  uint64_t m = (uint64_t)scalbn(frexp(fabs(x), &exponent), 53);
  // |x| = m 2^e. Bits of 2/pi above 2^(1 - e) only give multiples of 4.
  int e = exponent - 53;
  uint64_t product[4];
  wide carry = 0;
  for (int word = 3; word >= 0; word--) {
    carry += (wide)m * bits_of_two_over_pi(e - 2 + 64 * word);
    product[word] = (uint64_t)carry;
    carry >>= 64;
  }
  // The first two bits count multiples, the others are the fraction.
  int multiples = (int)(product[0] >> 62);
  uint64_t fraction[3];
  for (int word = 0; word < 3; word++)
    fraction[word] = product[word] << 2 | product[word + 1] >> 62;
  int is_above_half = (int)(fraction[0] >> 63);
  if (is_above_half) {
    multiples++;
    wide borrow = 1;
    for (int word = 2; word >= 0; word--) {
      borrow += (uint64_t)~fraction[word];
      fraction[word] = (uint64_t)borrow;
      borrow >>= 64;
    }
  }
  // Up to 62 leading bits are zero; what is left fills a pair.
  int shift = 0;
  while (shift < 128 && !(fraction[0] >> 63)) {
    fraction[0] = fraction[0] << 1 | fraction[1] >> 63;
    fraction[1] = fraction[1] << 1 | fraction[2] >> 63;
    fraction[2] <<= 1;
    shift++;
  }
  double high = scalbn((double)(fraction[0] >> 11), -53 - shift);
  uint64_t rest = fraction[0] << 53 | fraction[1] >> 11;
  double low = scalbn((double)(rest >> 11), -106 - shift);
  pair result = multiply((pair){high, low}, HALF_PI);
  int is_negative = is_above_half != (x < 0);
  *quadrant = (x < 0 ? -multiples : multiples) & 3;
  if (is_negative) result = (pair){-result.high, -result.low};
  return result;
}

// Sum of (-z)^n / (first + 2n)! from n = 0.
static double series(double z, int first) {
  int last = first + 2 * ((20 - first) / 2);
  double result = INVERSE_FACTORIAL[last].high;
  for (int n = last - 2; n >= first; n -= 2) result = INVERSE_FACTORIAL[n].high - z * result;
  return result;
}

static double sine(pair r) {
  double z = r.high * r.high;
  double cubic = -r.high * z * series(z, 3);
  return r.high + (cubic + r.low * (1 - 0.5 * z));
}

static double cosine(pair r) {
  pair z = product(r.high, r.high);
  double half = 0.5 * z.high;
  double first = 1 - half;
  double lost = (1 - first) - half;
  return first + (lost + (z.high * z.high * series(z.high, 4) - 0.5 * z.low - r.high * r.low));
}

// sin(x + shift pi/2).
static double circular(double x, int shift) {
  if (!isfinite(x)) return x - x;
  int quadrant = 0;
  pair r = {x, 0};
  if (fabs(x) > HALF_PI.high / 2) r = reduced(x, &quadrant);
  quadrant = (quadrant + shift) & 3;
  double result = quadrant & 1 ? cosine(r) : sine(r);
  return quadrant & 2 ? -result : result;
}

// Below 2^-27 the sine of a number is that number; zeros keep their sign.
double sin(double x) { return fabs(x) < 0x1p-27 ? x : circular(x, 0); }
double cos(double x) { return circular(x, 1); }
double tan(double x) { return fabs(x) < 0x1p-27 ? x : circular(x, 0) / circular(x, 1); }
