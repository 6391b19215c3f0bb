// SPDX-License-Identifier: Apache-2.0
// How a program ends: `main` returns (0), exit (1), abort (2), a false assertion (3), _Exit without what atexit registered (4).

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#if CASE == 4
static void never(void) { printf("not at _Exit\n"); }
#endif

int main(int argc, char **argv) {
  (void)argv;
  printf("begun\n");
  if (CASE == 1) exit(5);
  if (CASE == 2) abort();
  assert(argc == 1 || CASE != 3);
  assert(CASE != 3);
#if CASE == 4
  atexit(never);
  _Exit(6);
#endif
  return 7;
}
