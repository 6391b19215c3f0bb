// SPDX-License-Identifier: Apache-2.0
// Memory of the tile, the end of the program, numbers, sorting.
#ifndef NOCCL_STDLIB_H
#define NOCCL_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7fffffff

// First fit in the memory between the program and the stack; null if there is no such piece. The last 64 KiB before
// the end of the memory are the stack's.
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);

_Noreturn void exit(int code);
// Ends with code 134.
_Noreturn void abort(void);

int abs(int value);
long labs(long value);
int atoi(const char *text);
long strtol(const char *text, char **end, int base);
// Heap sort: no extra memory, not stable.
void qsort(void *base, size_t count, size_t bytes, int (*compare)(const void *, const void *));
// A linear congruential generator; the same numbers on every machine.
int rand(void);
void srand(unsigned seed);

#endif
