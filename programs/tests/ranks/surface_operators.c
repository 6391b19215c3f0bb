// SPDX-License-Identifier: Apache-2.0
// Operators: all of MPI on its types, and those of programs, which may not commute.

#include <complex.h>
#include <mpi.h>
#include <stdio.h>

static int rank, size;

struct pair {
  double value;
  int index;
};

// (a, b) op (c, d) = (a c, a d + b): composition of lines.
static void compose(void *in, void *in_out, int *count, MPI_Datatype *type) {
  double *left = in, *right = in_out;
  (void)type;
  for (int i = 0; i < *count; i++) {
    double a = left[2 * i], b = left[2 * i + 1];
    right[2 * i + 1] = a * right[2 * i + 1] + b;
    right[2 * i] = a * right[2 * i];
  }
}

static void farthest(void *in, void *in_out, int *count, MPI_Datatype *type) {
  int *a = in, *b = in_out;
  (void)type;
  for (int i = 0; i < *count; i++)
    if (a[i] * a[i] > b[i] * b[i]) b[i] = a[i];
}

static void logical(void) {
  MPI_Op ops[] = {MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  int whole = rank + 1, wholes[10];
  short little = (short)(rank % 3 - 1), littles[10];
  unsigned char byte = (unsigned char)(200 + rank), bytes[10];
  unsigned long wide = ~0ul >> rank, wides[10];
  for (int i = 0; i < 10; i++) {
    MPI_Allreduce(&whole, &wholes[i], 1, MPI_INT, ops[i], MPI_COMM_WORLD);
    MPI_Reduce(&little, &littles[i], 1, MPI_SHORT, ops[i], 0, MPI_COMM_WORLD);
    MPI_Reduce(&byte, &bytes[i], 1, MPI_UNSIGNED_CHAR, ops[i], 0, MPI_COMM_WORLD);
    MPI_Reduce(&wide, &wides[i], 1, MPI_UNSIGNED_LONG, ops[i], 0, MPI_COMM_WORLD);
  }
  for (int i = 0; rank == 0 && i < 10; i++) printf("%d: %d %d %u %lu\n", i, wholes[i], littles[i], bytes[i], wides[i]);
}

static void places(void) {
  struct pair own = {(rank * 7) % 5, rank}, least, most;
  struct { float value; int index; } small = {(float)(rank % 2), 100 - rank}, best;
  int two[2] = {rank / 2, rank}, found[2];
  MPI_Allreduce(&own, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  MPI_Reduce(&small, &best, 1, MPI_FLOAT_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  MPI_Reduce(two, found, 1, MPI_2INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("least %g at %d, most %g at %d, %g at %d, %d at %d\n", least.value, least.index, most.value, most.index,
           best.value, best.index, found[0], found[1]);
}

static void made(void) {
  MPI_Op line, far;
  MPI_Datatype two;
  MPI_Op_create(compose, 0, &line);
  MPI_Op_create(farthest, 1, &far);
  MPI_Type_contiguous(2, MPI_DOUBLE, &two);
  MPI_Type_commit(&two);
  double own[2] = {2, rank}, all[2], before[2];
  int mine = rank % 2 ? -3 * rank : 2 * rank, most, commutes;
  MPI_Reduce(own, all, 1, two, line, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("lines %g %g\n", all[0], all[1]);
  MPI_Allreduce(own, before, 1, two, line, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_INT, far, MPI_COMM_WORLD);
  MPI_Op_commutative(line, &commutes);
  if (rank == size - 1 || rank == 0) mine = before[1] == all[1];
  if (rank == 0) printf("farthest %d, commutes %d, the same %d\n", most, commutes, mine);
  MPI_Op_free(&line);
  MPI_Op_free(&far);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  logical();
  places();
  made();
  double complex own = rank + 1 - I * rank, sum, product;
  MPI_Reduce(&own, &sum, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own, &product, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("complex %g %g, %g %g\n", creal(sum), cimag(sum), creal(product), cimag(product));
  MPI_Finalize();
  return 0;
}
