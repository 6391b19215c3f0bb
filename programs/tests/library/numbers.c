// SPDX-License-Identifier: Apache-2.0
// Numbers: math.h, complex.h, sorting and searching, random numbers, memory.

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void functions(void) {
  printf("%.9g %.9g %.9g %.9g\n", sin(1), cos(1), tan(1), atan2(1, 2));
  printf("%.9g %.9g %.9g %.9g\n", asin(0.5), acos(0.5), atan(3), hypot(3, 4));
  printf("%.9g %.9g %.9g %.9g\n", sinh(1), cosh(1), tanh(1), cbrt(2));
  printf("%.9g %.9g %.9g %.9g\n", exp2(0.5), expm1(1e-5), log1p(1e-5), log2(10));
  printf("%.9g %.9g %.9g %.9g\n", erf(0.5), lgamma(5.5), tgamma(5.5), fdim(3, 1));
  printf("%.6g %.6g %.6g %.6g\n", sinf(1), expf(1), powf(2, 0.5f), fabsf(-1));
  printf("%ld %g %g %d\n", lround(2.5), rint(2.5), nearbyint(-0.5), ilogb(1000));
  printf("%d %d %d\n", isnan(NAN) != 0, isinf(INFINITY) != 0, signbit(-0.0) != 0);
  double complex z = cexp(I * M_PI / 4);
  printf("%.9g %.9g %.9g\n", creal(z), cimag(z), cabs(3 + 4 * I));
}

static void memory(void) {
  void *block = NULL;
  int failed = 0;
  for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
    if (posix_memalign(&block, alignment, 100 + alignment)) failed++;
    failed += (uintptr_t)block % alignment != 0;
    block = realloc(block, 2000);
    free(block);
    block = aligned_alloc(alignment, 4 * alignment);
    failed += (uintptr_t)block % alignment != 0;
    free(block);
  }
  char *all = calloc(1000, 100);
  for (size_t i = 0; i < 100000; i++) failed += all[i] != 0;
  free(all);
  printf("failed %d, no alignment %d\n", failed, posix_memalign(&block, 24, 8) != 0);
}

// Digits that a double has, too.
static void long_doubles(int count) {
  char text[32];
  long double third = (long double)count / 3;
  snprintf(text, sizeof text, "%.6Lf|%d", third, count);
  printf("%d %Lg %d %.4Le %s %s\n", 1, third * 4, 2, third, text, "end");
  fprintf(stderr, "%10.3Lf %5.1f\n", -third, 2.5);
}

int main(int argc, char **argv) {
  (void)argv;
  long_doubles(argc);
  functions();
  int values[] = {5, -3, 9, 0, 7, 2}, wanted = 7;
  qsort(values, 6, sizeof *values, compare);
  for (int i = 0; i < 6; i++) printf("%d ", values[i]);
  int *found = bsearch(&wanted, values, 6, sizeof *values, compare);
  printf("at %d\n", (int)(found - values));
  srand48(42);
  double first = drand48(), second = drand48();
  printf("%.12g %.12g %ld\n", first, second, lrand48());
  srand(1);
  srandom(1);
  int draws = 0;
  for (int i = 0; i < 100; i++) draws += rand() >= 0 && random() >= 0 && random() <= RAND_MAX;
  printf("%d draws\n", draws);
  div_t parts = div(-17, 5);
  printf("%d %d %ld %lld\n", parts.quot, parts.rem, labs(-3L), llabs(-4LL));
  memory();
  return 0;
}
