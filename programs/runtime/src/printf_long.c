// SPDX-License-Identifier: Apache-2.0
// Formatted output of programs with long doubles.

#define LONG_DOUBLE
#include "printf.c"
