// SPDX-License-Identifier: Apache-2.0
// Heat on a plate: a Cartesian grid of ranks, halos by MPI_Cart_shift, columns by a vector type; and what the topology says of itself.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 12, STEPS = 20 };

// Rows and columns with a border of halos.
static double heat[SIDE + 2][SIDE + 2], next[SIDE + 2][SIDE + 2];

static void exchange(MPI_Comm grid, int rows, int columns, MPI_Datatype column) {
  int up, down, left, right;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  MPI_Sendrecv(&heat[1][1], columns, MPI_DOUBLE, up, 0, &heat[rows + 1][1], columns, MPI_DOUBLE, down, 0, grid,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&heat[rows][1], columns, MPI_DOUBLE, down, 1, &heat[0][1], columns, MPI_DOUBLE, up, 1, grid,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&heat[1][1], 1, column, left, 2, &heat[1][columns + 1], 1, column, right, 2, grid, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&heat[1][columns], 1, column, right, 3, &heat[1][0], 1, column, left, 3, grid, MPI_STATUS_IGNORE);
}

static void step(int rows, int columns) {
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= columns; x++)
      next[y][x] = 0.25 * (heat[y - 1][x] + heat[y + 1][x] + heat[y][x - 1] + heat[y][x + 1]);
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= columns; x++) heat[y][x] = next[y][x];
}

static void tell(MPI_Comm grid, int rank) {
  int count, dims[2], periods[2], coords[2], at, topology, plain;
  MPI_Cartdim_get(grid, &count);
  MPI_Cart_get(grid, 2, dims, periods, coords);
  MPI_Cart_rank(grid, coords, &at);
  MPI_Topo_test(grid, &topology);
  MPI_Topo_test(MPI_COMM_WORLD, &plain);
  int keep[2] = {0, 1}, row_rank, row_size, sum;
  MPI_Comm row;
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_rank(row, &row_rank);
  MPI_Comm_size(row, &row_size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
  int good = count == 2 && at == rank && topology == MPI_CART && plain == MPI_UNDEFINED, all;
  MPI_Reduce(&good, &all, 1, MPI_INT, MPI_LAND, 0, grid);
  if (rank == 0) printf("%d x %d, period %d %d, good %d\n", dims[0], dims[1], periods[0], periods[1], all);
  int mine[4] = {coords[0], coords[1], row_rank * 10 + row_size, sum}, line[4 * 64], size;
  MPI_Comm_size(grid, &size);
  MPI_Gather(mine, 4, MPI_INT, line, 4, MPI_INT, 0, grid);
  for (int i = 0; rank == 0 && i < size; i++)
    printf("rank %d at %d %d, row %d, sum %d\n", i, line[4 * i], line[4 * i + 1], line[4 * i + 2], line[4 * i + 3]);
  MPI_Comm_free(&row);
}

int main(int argc, char **argv) {
  int size, rank, dims[2] = {0, 0}, periods[2] = {0, 1};
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  tell(grid, rank);
  int rows = SIDE / dims[0], columns = SIDE / dims[1], coords[2];
  MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, SIDE + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= columns; x++) heat[y][x] = (coords[0] * rows + y) * (coords[1] * columns + x) % 7;
  for (int i = 0; i < STEPS; i++) {
    exchange(grid, rows, columns, column);
    step(rows, columns);
  }
  double sum = 0, all;
  for (int y = 1; y <= rows; y++)
    for (int x = 1; x <= columns; x++) sum += heat[y][x];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (rank == 0) printf("heat %.9f\n", all);
  int three[3] = {0, 2, 0};
  MPI_Dims_create(24, 3, three);
  if (rank == 0) printf("24 is %d %d %d\n", three[0], three[1], three[2]);
  // A grid without a dimension.
  MPI_Comm point;
  int kept[2] = {0, 0}, own = 0, points, result = MPI_CONGRUENT;
  MPI_Cart_sub(grid, kept, &point);
  if (point != MPI_COMM_NULL) {
    MPI_Comm_compare(point, MPI_COMM_SELF, &result);
    own = result == MPI_CONGRUENT;
  }
  MPI_Reduce(&own, &points, 1, MPI_INT, MPI_SUM, 0, grid);
  if (rank == 0) printf("points %d\n", points);
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
