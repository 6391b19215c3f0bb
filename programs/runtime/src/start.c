// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of a program.

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "noccl.h"

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
