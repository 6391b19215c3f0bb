// SPDX-License-Identifier: Apache-2.0
// The end of a program. The linker script takes __noccl_end for exit, unless the program registers functions for its end (exit.c).

#include <assert.h>
#include <stdlib.h>

#include "noccl.h"
#include "text.h"

_Noreturn void __noccl_end(int code);

_Noreturn void __noccl_end(int code) {
  noccl_store(NOCCL_PORT_END, (uint32_t)code);
  for (;;) {
  }
}

_Noreturn void abort(void) { __noccl_end(134); }

_Noreturn void _Exit(int code) { __noccl_end(code); }

_Noreturn void _exit(int code);
_Noreturn void _exit(int code) { __noccl_end(code); }

static void put_error(const char *text) {
  for (; *text; text++) {
    noccl_store(NOCCL_PORT_CONSOLE, ERROR_MARK);
    noccl_store(NOCCL_PORT_CONSOLE, (unsigned char)*text);
  }
}

// Without printf, which a program need not have.
_Noreturn void __noccl_assert(const char *condition, const char *file, int line) {
  char digits[12], *number = digits + sizeof digits - 1;
  *number = 0;
  for (int rest = line; rest; rest /= 10) *--number = (char)('0' + rest % 10);
  const char *const parts[] = {file, ":", number, ": assertion failed: ", condition, "\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) put_error(parts[i]);
  abort();
}
