// SPDX-License-Identifier: Apache-2.0
// Folds of MPI's operators, for each type of mpi.h: both libraries that implement it include this once.
#ifndef NOCMSG_OPERATORS_H
#define NOCMSG_OPERATORS_H

#include <stddef.h>

#include "mpi.h"

// into[i] = into[i] op from[i].
typedef void mpi_fold(void *into, const void *from, size_t count);

#define FOLD(NAME, TYPE, EXPRESSION)                               \
  static void NAME(void *into_, const void *from_, size_t count) { \
    TYPE *into = into_;                                            \
    const TYPE *from = from_;                                      \
    for (size_t i = 0; i < count; i++) into[i] = (EXPRESSION);     \
  }
// What stands for a fold that there is not.
#ifndef NO_FOLD
#define NO_FOLD 0
#endif
#define FOLDS(TYPE, NAME)                                       \
  FOLD(sum_##NAME, TYPE, into[i] + from[i])                     \
  FOLD(prod_##NAME, TYPE, into[i] * from[i])                    \
  FOLD(min_##NAME, TYPE, from[i] < into[i] ? from[i] : into[i]) \
  FOLD(max_##NAME, TYPE, from[i] > into[i] ? from[i] : into[i]) \
  static mpi_fold *const folds_##NAME[MPI_MAXLOC + 1] = {       \
      [MPI_LAND ... MPI_MAXLOC] = NO_FOLD,                      \
      [MPI_SUM] = sum_##NAME, [MPI_PROD] = prod_##NAME, [MPI_MIN] = min_##NAME, [MPI_MAX] = max_##NAME};

FOLDS(unsigned char, byte)
FOLDS(int, int)
FOLDS(long, long)
FOLDS(unsigned, unsigned)
FOLDS(float, float)
FOLDS(double, double)
FOLDS(unsigned long, unsigned_long)

#undef FOLDS
#undef FOLD

#endif
