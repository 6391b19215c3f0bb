// SPDX-License-Identifier: Apache-2.0
// Counting sort, heap sort through pointers to functions, and strings as keys, from one random stream.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1 << 14, LARGEST = 1 << 9, WORDS = 200 };

static uint64_t state = 314159265;

static uint64_t next(void) {
  state = state * 1220703125u & ((1ull << 46) - 1);
  return state;
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(void) {
  uint32_t *keys = malloc(KEYS * sizeof *keys), *sorted = malloc(KEYS * sizeof *sorted);
  uint32_t *counts = calloc(LARGEST, sizeof *counts);
  if (!keys || !sorted || !counts) return 2;
  for (int i = 0; i < KEYS; i++) keys[i] = (uint32_t)(next() >> 20) % LARGEST;
  for (int i = 0; i < KEYS; i++) counts[keys[i]]++;
  for (uint32_t value = 0, at = 0; value < LARGEST; value++)
    for (uint32_t n = counts[value]; n; n--) sorted[at++] = value;
  qsort(keys, KEYS, sizeof *keys, by_value);
  printf("same: %d\n", memcmp(keys, sorted, KEYS * sizeof *keys) == 0);
  for (int i = 0; i < KEYS; i += KEYS / 8) printf("%6d %4u\n", i, keys[i]);

  char **words = malloc(WORDS * sizeof *words);
  for (int i = 0; i < WORDS; i++) {
    words[i] = malloc(12);
    int length = 1 + (int)(next() % 10);
    for (int j = 0; j < length; j++) words[i][j] = (char)('a' + next() % 26);
    words[i][length] = 0;
  }
  qsort(words, WORDS, sizeof *words, by_text);
  for (int i = 0; i < WORDS; i += 23) printf("%-11s|%s\n", words[i], strchr(words[i], 'e') ? "e" : "");
  for (int i = 0; i < WORDS; i++) free(words[i]);
  free(words), free(counts), free(sorted), free(keys);
  return 0;
}
