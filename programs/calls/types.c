// SPDX-License-Identifier: Apache-2.0
// Types and operators: lengths, what calls name them, and folds for what the networks' algorithms do not do.

#include "calls.h"
#include "operators.h"

static const struct {
  long bytes, element;
  mpi_fold *const *folds;
} types[] = {
    [MPI_BYTE] = {1, ELEMENT_UINT8, folds_byte},      [MPI_CHAR] = {1, ELEMENT_UINT8, folds_byte},
    [MPI_INT] = {4, ELEMENT_INT32, folds_int},        [MPI_LONG] = {8, ELEMENT_INT64, folds_long},
    [MPI_UNSIGNED] = {4, ELEMENT_UINT32, folds_unsigned}, [MPI_FLOAT] = {4, ELEMENT_FP32, folds_float},
    [MPI_DOUBLE] = {8, ELEMENT_FP64, folds_double},
    [MPI_UNSIGNED_LONG] = {8, ELEMENT_UINT64, folds_unsigned_long},
};

static const long folds[] = {
    [MPI_SUM] = FOLD_SUM, [MPI_PROD] = FOLD_OTHER, [MPI_MIN] = FOLD_MIN, [MPI_MAX] = FOLD_MAX};

#define NUM(ARRAY) ((long)(sizeof(ARRAY) / sizeof *(ARRAY)))

long mpi_bytes_of(long count, MPI_Datatype type, long site) {
  if (type < 0 || type >= NUM(types)) mpi_refuse("a datatype that there is not; accepted: those of mpi.h", site);
  return count * types[type].bytes;
}

long mpi_reduction(long function, MPI_Op op, MPI_Datatype type) {
  long named = op >= 0 && op < NUM(folds) ? folds[op] : FOLD_OTHER;
  return function | named << 8 | types[type].element << 16;
}

void mpi_combine(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site) {
  mpi_fold *found = op >= 0 && op < NUM(folds) ? types[type].folds[op] : 0;
  if (!found) mpi_refuse("an operator that the datatype does not have; accepted: MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX", site);
  if (count > 0) found(into, from, (size_t)count);
}
