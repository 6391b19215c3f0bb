// SPDX-License-Identifier: Apache-2.0
// Types and operators: lengths, what calls name them, and folds for what the networks' algorithms do not do.

#include "calls.h"

typedef void folding(void *into, const void *from, long count);

#define FOLD(NAME, TYPE, EXPRESSION)                             \
  static void NAME(void *into_, const void *from_, long count) { \
    TYPE *into = into_;                                          \
    const TYPE *from = from_;                                    \
    for (long i = 0; i < count; i++) into[i] = (EXPRESSION);     \
  }
#define FOLDS(TYPE, NAME)                                       \
  FOLD(sum_##NAME, TYPE, into[i] + from[i])                     \
  FOLD(prod_##NAME, TYPE, into[i] * from[i])                    \
  FOLD(min_##NAME, TYPE, from[i] < into[i] ? from[i] : into[i]) \
  FOLD(max_##NAME, TYPE, from[i] > into[i] ? from[i] : into[i])

FOLDS(unsigned char, byte)
FOLDS(int, int)
FOLDS(long, long)
FOLDS(unsigned, unsigned)
FOLDS(float, float)
FOLDS(double, double)
FOLDS(unsigned long, unsigned_long)

#define OF(NAME) {[MPI_SUM] = sum_##NAME, [MPI_PROD] = prod_##NAME, [MPI_MIN] = min_##NAME, [MPI_MAX] = max_##NAME}

static const struct {
  long bytes, element;
  folding *folds[4];
} types[] = {
    [MPI_BYTE] = {1, ELEMENT_UINT8, OF(byte)},      [MPI_CHAR] = {1, ELEMENT_UINT8, OF(byte)},
    [MPI_INT] = {4, ELEMENT_INT32, OF(int)},        [MPI_LONG] = {8, ELEMENT_INT64, OF(long)},
    [MPI_UNSIGNED] = {4, ELEMENT_UINT32, OF(unsigned)}, [MPI_FLOAT] = {4, ELEMENT_FP32, OF(float)},
    [MPI_DOUBLE] = {8, ELEMENT_FP64, OF(double)},
    [MPI_UNSIGNED_LONG] = {8, ELEMENT_UINT64, OF(unsigned_long)},
};

static const long folds[] = {
    [MPI_SUM] = FOLD_SUM, [MPI_PROD] = FOLD_OTHER, [MPI_MIN] = FOLD_MIN, [MPI_MAX] = FOLD_MAX};

#define NUM(ARRAY) ((long)(sizeof(ARRAY) / sizeof *(ARRAY)))

long bytes_of(long count, MPI_Datatype type, long site) {
  if (type < 0 || type >= NUM(types)) refuse("a datatype that there is not; accepted: those of mpi.h", site);
  return count * types[type].bytes;
}

long reduction(long function, MPI_Op op, MPI_Datatype type) {
  long named = op >= 0 && op < NUM(folds) ? folds[op] : FOLD_OTHER;
  return function | named << 8 | types[type].element << 16;
}

void fold(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site) {
  folding *found = op >= 0 && op < NUM(folds) ? types[type].folds[op] : 0;
  if (!found) refuse("an operator that the datatype does not have; accepted: MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX", site);
  found(into, from, count);
}
