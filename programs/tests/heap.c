// SPDX-License-Identifier: Apache-2.0
// Pieces of random sizes, freed in random order: contents stay, and in the end one piece can hold everything again.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 64, STEPS = 1000, LARGE = 1 << 20 };

static unsigned char *pieces[PIECES];
static size_t sizes[PIECES];

int main(void) {
  uint64_t state = 12345;
  unsigned wrong = 0, failed = 0;
  void *all = malloc(LARGE);
  free(all);
  for (int step = 0; step < STEPS; step++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int i = (int)(state >> 40) % PIECES;
    for (size_t at = 0; at < sizes[i]; at++) wrong += pieces[i][at] != (unsigned char)(i + at);
    size_t bytes = (state >> 20) % 5000;
    if (state >> 63) {
      free(pieces[i]);
      pieces[i] = malloc(bytes);
    } else {
      pieces[i] = realloc(pieces[i], bytes + 1);
    }
    failed += !pieces[i];
    wrong += (uintptr_t)pieces[i] % 16 != 0;
    sizes[i] = bytes;
    for (size_t at = 0; at < bytes; at++) pieces[i][at] = (unsigned char)(i + at);
  }
  for (int i = 0; i < PIECES; i++) free(pieces[i]);
  void *again = malloc(LARGE);
  printf("wrong %u, failed %u, joined %d, too much %d\n", wrong, failed, again != NULL, malloc(SIZE_MAX / 2) != NULL);
  return 0;
}
