// SPDX-License-Identifier: Apache-2.0
// A product of matrices: rows by blocks, columns of the second matrix by a resized vector type, the result gathered by blocks.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 12 };

int main(int argc, char *argv[]) {
  int rank, size;
  double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int columns = SIDE / size;
  if (SIDE % size) {
    if (rank == 0) fprintf(stderr, "%d ranks do not divide %d\n", size, (int)SIDE);
    MPI_Finalize();
    return 1;
  }
  for (int i = 0; i < SIDE * SIDE; i++) {
    a[i / SIDE][i % SIDE] = rank == 0 ? i % 7 - 3 : 0;
    b[i / SIDE][i % SIDE] = rank == 0 ? i % 5 - 2 : 0;
  }
  // A block of columns in a matrix, and in what a rank keeps of it.
  MPI_Datatype block, block_of_all, own;
  MPI_Type_vector(SIDE, columns, SIDE, MPI_DOUBLE, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)(columns * (int)sizeof(double)), &block_of_all);
  MPI_Type_contiguous(SIDE * columns, MPI_DOUBLE, &own);
  MPI_Type_commit(&block_of_all);
  MPI_Type_commit(&own);
  double *mine = malloc(sizeof(double[SIDE]) * (size_t)columns), *product = malloc(sizeof(double[SIDE]) * (size_t)columns);
  MPI_Bcast(a, SIDE * SIDE, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(b, 1, block_of_all, mine, 1, own, 0, MPI_COMM_WORLD);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < columns; x++) {
      double sum = 0;
      for (int i = 0; i < SIDE; i++) sum += a[y][i] * mine[i * columns + x];
      product[y * columns + x] = sum;
    }
  MPI_Gather(product, SIDE * columns, MPI_DOUBLE, c, 1, block_of_all, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    double trace = 0, sum = 0;
    for (int y = 0; y < SIDE; y++) {
      trace += c[y][y];
      for (int x = 0; x < SIDE; x++) sum += c[y][x] * (x + 1) * (y + 1);
    }
    printf("trace %g, weighted sum %g\n", trace, sum);
  }
  free(mine);
  free(product);
  MPI_Type_free(&block);
  MPI_Type_free(&block_of_all);
  MPI_Type_free(&own);
  MPI_Finalize();
  return 0;
}
