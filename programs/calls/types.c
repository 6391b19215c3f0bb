// SPDX-License-Identifier: Apache-2.0
// Types and operators: lengths, what calls name them, and folds for what the networks' algorithms do not do.

#include <complex.h>
#include <stdbool.h>

#include "calls.h"
#include "operators.h"
#include "pairs_of.h"

// Of types whose elements mpi_combine_other combines.
static mpi_fold *const folds_none[MPI_MAXLOC + 1];

// combine.S knows its form.
const struct mpi_type {
  long bytes, element;
  mpi_fold *const *folds;
} mpi_types[] = {
    [MPI_BYTE] = {1, ELEMENT_UINT8, folds_byte},      [MPI_CHAR] = {1, ELEMENT_UINT8, folds_byte},
    [MPI_INT] = {4, ELEMENT_INT32, folds_int},        [MPI_LONG] = {8, ELEMENT_INT64, folds_long},
    [MPI_UNSIGNED] = {4, ELEMENT_UINT32, folds_unsigned}, [MPI_FLOAT] = {4, ELEMENT_FP32, folds_float},
    [MPI_DOUBLE] = {8, ELEMENT_FP64, folds_double},
    [MPI_UNSIGNED_LONG] = {8, ELEMENT_UINT64, folds_unsigned_long},
    [MPI_SHORT] = {2, ELEMENT_INT16, folds_none},
    [MPI_UNSIGNED_SHORT] = {2, ELEMENT_UINT16, folds_none},
    [MPI_SIGNED_CHAR] = {1, ELEMENT_INT8, folds_none},
    [MPI_UNSIGNED_CHAR] = {1, ELEMENT_UINT8, folds_byte},
    [MPI_C_BOOL] = {sizeof(bool), ELEMENT_BOOL, folds_none},
    [MPI_PACKED] = {1, ELEMENT_OTHER, folds_none},
    [MPI_LONG_DOUBLE] = {sizeof(long double), ELEMENT_OTHER, folds_none},
    [MPI_C_FLOAT_COMPLEX] = {sizeof(float complex), ELEMENT_COMPLEX32, folds_none},
    [MPI_C_DOUBLE_COMPLEX] = {sizeof(double complex), ELEMENT_COMPLEX64, folds_none},
    [MPI_FLOAT_INT] = {sizeof(struct float_int), ELEMENT_INDEXED_FP32, folds_none},
    [MPI_DOUBLE_INT] = {sizeof(struct double_int), ELEMENT_INDEXED_FP64, folds_none},
    [MPI_LONG_INT] = {sizeof(struct long_int), ELEMENT_INDEXED_INT64, folds_none},
    [MPI_2INT] = {sizeof(struct int_int), ELEMENT_INDEXED_INT32, folds_none},
    [MPI_SHORT_INT] = {sizeof(struct short_int), ELEMENT_INDEXED_INT16, folds_none},
    [MPI_LONG_DOUBLE_INT] = {sizeof(struct long_double_int), ELEMENT_OTHER, folds_none},
    [MPI_C_LONG_DOUBLE_COMPLEX] = {sizeof(long double complex), ELEMENT_OTHER, folds_none},
};

static const long folds[] = {
    [MPI_SUM] = FOLD_SUM, [MPI_PROD] = FOLD_OTHER, [MPI_MIN] = FOLD_MIN, [MPI_MAX] = FOLD_MAX};

#define NUM(ARRAY) ((long)(sizeof(ARRAY) / sizeof *(ARRAY)))

long mpi_bytes_of(long count, MPI_Datatype type, long site) {
  if (type < 0 || type >= NUM(mpi_types)) mpi_refuse("a datatype that there is not; accepted: those of mpi.h", site);
  return count * mpi_types[type].bytes;
}

long mpi_reduction(long function, MPI_Op op, MPI_Datatype type) {
  long named = op >= 0 && op < NUM(folds) ? folds[op] : FOLD_OTHER;
  return function | named << 8 | mpi_types[type].element << 16;
}
