// SPDX-License-Identifier: Apache-2.0
// Memory, numbers, the end of the program. This runtime has malloc and its relatives (first fit between the program and the stack,
// which has the last 64 KiB), exit, abort (code 134), abs, labs, atoi, rand and qsort (heap sort: no extra memory, not stable).
#ifndef NOCCL_STDLIB_H
#define NOCCL_STDLIB_H

// What the compiler concludes from these changes the cycles of programs whose cycles are published.
#include <sys/cdefs.h>
#undef __malloc_like
#undef __alloc_size
#undef __alloc_size2
#define __malloc_like
#define __alloc_size(count)
#define __alloc_size2(count, size)

#include_next <stdlib.h>
// As elsewhere, programs find `struct timeval` here.
#include <sys/_timeval.h>

#endif
