// SPDX-License-Identifier: Apache-2.0
// Functions that a program registers for its end. In a program that calls atexit the linker script takes these functions for exit and
// for the call of main.

#include <stdlib.h>

#include "noccl.h"

// As many as ISO C asks for.
#define MOST_FUNCTIONS 32

static void (*functions[MOST_FUNCTIONS])(void);
static int num_functions;

_Noreturn void __noccl_end(int code);
_Noreturn void __noccl_exit(int code);
int __noccl_main_and_exit(int argc, char **argv);
int main(int argc, char **argv);

int atexit(void (*function)(void)) {
  if (num_functions == MOST_FUNCTIONS) return 1;
  functions[num_functions++] = function;
  return 0;
}

_Noreturn void __noccl_exit(int code) {
  while (num_functions > 0) functions[--num_functions]();
  __noccl_end(code);
}

int __noccl_main_and_exit(int argc, char **argv) { __noccl_exit(main(argc, argv)); }
