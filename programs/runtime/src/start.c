// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of a program.

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "noccl.h"

int main(int count, char **arguments);
void __noccl_heap(char *end_of_memory);

_Noreturn void exit(int code) {
  noccl_store(NOCCL_PORT_END, (uint32_t)code);
  for (;;) {
  }
}

_Noreturn void abort(void) { exit(134); }

_Noreturn void __noccl_assert(const char *condition, const char *file, int line) {
  printf("%s:%d: assertion failed: %s\n", file, line, condition);
  abort();
}

// Called with the end of the memory, where the stack begins.
_Noreturn void __noccl_start(char *end_of_memory) {
  static char *no_arguments[] = {0};
  __noccl_heap(end_of_memory);
  exit(main(0, no_arguments));
}
