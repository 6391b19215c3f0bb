// SPDX-License-Identifier: Apache-2.0
// Operators that programs make, and those of MPI for which types.c has no folds.

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "pairs_of.h"

// Numbers of operators of programs.
#define FIRST_MADE 64

static struct made {
  MPI_User_function *function;
  int commutes;
} *made;
static int num_made;

static _Noreturn void refuse(long site) { mpi_refuse(MPI_NO_OPERATOR, site); }

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op) {
  struct made *more = realloc(made, (size_t)(num_made + 1) * sizeof *more);
  if (!more) mpi_refuse("no memory for an operator", SITE);
  made = more;
  made[num_made] = (struct made){function, commutes};
  *op = FIRST_MADE + num_made++;
  return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op) {
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op op, int *flag) {
  *flag = op < FIRST_MADE || (op < FIRST_MADE + num_made && made[op - FIRST_MADE].commutes);
  return MPI_SUCCESS;
}

// The function leaves `left op right` where the right elements are.
static void combine_made(void *left, const void *right, long count, MPI_Datatype type, MPI_Op op, long bytes, long site) {
  if (op >= FIRST_MADE + num_made) refuse(site);
  void *result = malloc((size_t)bytes + 1);
  if (!result) mpi_refuse("no memory for the elements of an operator", site);
  memcpy(result, right, (size_t)bytes);
  int elements = (int)count;
  made[op - FIRST_MADE].function(left, result, &elements, &type);
  memcpy(left, result, (size_t)bytes);
  free(result);
}

static long integer(MPI_Op op, long a, long b, long site) {
  switch (op) {
    case MPI_SUM: return (long)((unsigned long)a + (unsigned long)b);
    case MPI_PROD: return (long)((unsigned long)a * (unsigned long)b);
    case MPI_MIN: return b < a ? b : a;
    case MPI_MAX: return b > a ? b : a;
    case MPI_LAND: return a && b;
    case MPI_LOR: return a || b;
    case MPI_LXOR: return !a != !b;
    case MPI_BAND: return a & b;
    case MPI_BOR: return a | b;
    case MPI_BXOR: return a ^ b;
    default: refuse(site);
  }
}

#define INTEGERS(TYPE)                                                                             \
  {                                                                                                \
    TYPE *x = into;                                                                                \
    const TYPE *y = from;                                                                          \
    for (long i = 0; i < count; i++) x[i] = (TYPE)integer(op, (long)x[i], (long)y[i], site); \
    return;                                                                                        \
  }

#define COMPLEXES(TYPE)                                                                \
  {                                                                                    \
    TYPE *x = into;                                                                    \
    const TYPE *y = from;                                                              \
    if (op != MPI_SUM && op != MPI_PROD) refuse(site);                                 \
    for (long i = 0; i < count; i++) x[i] = op == MPI_SUM ? x[i] + y[i] : x[i] * y[i]; \
    return;                                                                            \
  }

// Of equal values the one with the lower index.
#define PAIRS(TYPE)                                                                   \
  {                                                                                   \
    TYPE *x = into;                                                                   \
    const TYPE *y = from;                                                             \
    if (op != MPI_MINLOC && op != MPI_MAXLOC) refuse(site);                           \
    for (long i = 0; i < count; i++) {                                                \
      int is_better = op == MPI_MINLOC ? y[i].value < x[i].value : y[i].value > x[i].value; \
      if (is_better || (y[i].value == x[i].value && y[i].index < x[i].index)) x[i] = y[i];  \
    }                                                                                 \
    return;                                                                           \
  }

static void combine_known(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site) {
  switch (type) {
    case MPI_BYTE:
    case MPI_CHAR:
    case MPI_UNSIGNED_CHAR: INTEGERS(unsigned char)
    case MPI_SIGNED_CHAR: INTEGERS(signed char)
    case MPI_C_BOOL: INTEGERS(bool)
    case MPI_SHORT: INTEGERS(short)
    case MPI_UNSIGNED_SHORT: INTEGERS(unsigned short)
    case MPI_INT: INTEGERS(int)
    case MPI_UNSIGNED: INTEGERS(unsigned)
    case MPI_LONG: INTEGERS(long)
    case MPI_UNSIGNED_LONG: INTEGERS(unsigned long)
    case MPI_C_FLOAT_COMPLEX: COMPLEXES(float _Complex)
    case MPI_C_DOUBLE_COMPLEX: COMPLEXES(double _Complex)
    case MPI_FLOAT_INT: PAIRS(struct float_int)
    case MPI_DOUBLE_INT: PAIRS(struct double_int)
    case MPI_LONG_INT: PAIRS(struct long_int)
    case MPI_2INT: PAIRS(struct int_int)
    case MPI_SHORT_INT: PAIRS(struct short_int)
    default: refuse(site);
  }
}

void mpi_combine_other(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site) {
  if (count <= 0) return;
  if (op < FIRST_MADE) {
    combine_known(into, from, count, type, op, site);
  } else {
    combine_made(into, from, count, type, op, mpi_span_of(count, type, site), site);
  }
}

int MPI_Reduce_local(const void *in, void *in_out, int count, MPI_Datatype type, MPI_Op op) {
  if (op < FIRST_MADE) mpi_bytes_of(count, type, SITE);
  long bytes = mpi_span_of(count, type, SITE);
  char *result = malloc((size_t)bytes + 1);
  if (!result) mpi_refuse("no memory for the elements of an operator", SITE);
  memcpy(result, in, (size_t)bytes);
  mpi_combine(result, in_out, count, type, op, SITE);
  memcpy(in_out, result, (size_t)bytes);
  free(result);
  return MPI_SUCCESS;
}
