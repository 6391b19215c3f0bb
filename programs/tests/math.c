// SPDX-License-Identifier: Apache-2.0
// Results of all mathematical functions at random and special arguments, as bits: name, first argument, second, result.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 1500, SPECIALS = 24 };

static uint64_t state = 20191213;

static uint64_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 11 ^ state << 40;
}

static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static const double specials[SPECIALS] = {
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -3.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, INFINITY,
    -INFINITY, NAN, 0.99999999999999989, 1.0000000000000002, 4503599627370497.5, -0.49999999999999994, 710.5, -745.2,
    1e22, 3.1415926535897931, 6381956970095103.0 * 0x1p797, 0.70710678118654757};

// Any number, or one whose magnitude is not far from one.
static double random_number(int exponents) {
  uint64_t bits = next();
  if (exponents == 0) return of_bits(bits);
  uint64_t exponent = 1023 + next() % (2 * (uint64_t)exponents) - (uint64_t)exponents;
  return of_bits((bits & 0x800fffffffffffffu) | exponent << 52);
}

static void put(const char *name, double x, double y, double result) {
  printf("%s %llx %llx %llx\n", name, (unsigned long long)bits_of(x), (unsigned long long)bits_of(y),
         (unsigned long long)bits_of(result));
}

typedef double one(double);
typedef double two(double, double);

static double frexp_part(double x) {
  int exponent;
  double part = frexp(x, &exponent);
  return part + exponent;
}

static double modf_part(double x) {
  double whole;
  return modf(x, &whole);
}

static void apply(const char *name, one *function, int exponents) {
  for (int i = 0; i < SPECIALS; i++) put(name, specials[i], 0, function(specials[i]));
  for (int i = 0; i < CASES; i++) {
    double x = random_number(i % 3 == 0 ? 0 : exponents);
    put(name, x, 0, function(x));
  }
}

static void apply_two(const char *name, two *function, int of_x, int of_y) {
  for (int i = 0; i < SPECIALS; i++)
    for (int j = 0; j < SPECIALS; j++) put(name, specials[i], specials[j], function(specials[i], specials[j]));
  for (int i = 0; i < CASES; i++) {
    double x = random_number(of_x), y = random_number(of_y);
    if (i % 4 == 0) x = fabs(x), y = trunc(y);
    put(name, x, y, function(x, y));
  }
}

int main(void) {
  apply("floor", floor, 54), apply("ceil", ceil, 54), apply("trunc", trunc, 54), apply("round", round, 54);
  apply("sqrt", sqrt, 900), apply("fabs", fabs, 3);
  apply("frexp", frexp_part, 0), apply("modf", modf_part, 54);
  apply("exp", exp, 9), apply("log", log, 4), apply("log2", log2, 4), apply("log10", log10, 4);
  apply("sin", sin, 6), apply("cos", cos, 6), apply("tan", tan, 6);
  apply_two("pow", pow, 8, 6), apply_two("fmod", fmod, 60, 20);
  apply_two("fmin", fmin, 3, 3), apply_two("fmax", fmax, 3, 3), apply_two("copysign", copysign, 3, 3);
  for (int i = 0; i < CASES; i++) {
    double x = random_number(1000);
    int exponent = (int)(next() % 4200) - 2100;
    put("ldexp", x, exponent, ldexp(x, exponent));
  }
  return 0;
}
