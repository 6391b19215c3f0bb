// SPDX-License-Identifier: Apache-2.0
// Integers from text, sorting, random numbers: their cycles are part of published counts.

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }

static int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return INT_MAX;
}

long __noccl_integer(const char *text, char **end, int base);
long __noccl_integer(const char *text, char **end, int base) {
  const char *at = text;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r')) at++;
  int is_negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  int is_hexadecimal = at[0] == '0' && (at[1] | 32) == 'x' && digit_of(at[2]) < 16;
  if ((base == 0 || base == 16) && is_hexadecimal) {
    at += 2;
    base = 16;
  }
  if (base == 0) base = *at == '0' ? 8 : 10;
  const char *first = at;
  unsigned long value = 0, most = is_negative ? (unsigned long)LONG_MAX + 1 : LONG_MAX;
  for (; digit_of(*at) < base; at++) {
    unsigned long digit = (unsigned long)digit_of(*at), all;
    int is_over = __builtin_mul_overflow(value, (unsigned long)base, &all) ||
                  __builtin_add_overflow(all, digit, &all) || all > most;
    value = is_over ? most : all;
  }
  if (end) *end = (char *)(at == first ? text : at);
  return (long)(is_negative ? -value : value);
}

int atoi(const char *text) { return (int)__noccl_integer(text, 0, 10); }

static void swap(char *a, char *b, size_t bytes) {
  while (bytes--) {
    char kept = *a;
    *a++ = *b;
    *b++ = kept;
  }
}

// Williams, Algorithm 232: heapsort (1964).
void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *)) {
  char *all = base;
  size_t root = count / 2;
  while (count > 1) {
    if (root > 0) {
      root--;
    } else {
      count--;
      swap(all, all + count * bytes, bytes);
    }
    for (size_t at = root;;) {
      size_t child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && compare(all + child * bytes, all + (child + 1) * bytes) < 0) child++;
      if (compare(all + at * bytes, all + child * bytes) >= 0) break;
      swap(all + at * bytes, all + child * bytes, bytes);
      at = child;
    }
  }
}

static uint64_t random_state = 1;

void srand(unsigned seed) { random_state = seed; }

int rand(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int)(random_state >> 33);
}
