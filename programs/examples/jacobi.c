// SPDX-License-Identifier: Apache-2.0
// Jacobi's iteration on a square, rows split over the ranks: an exchange with both neighbours and a sum of all ranks per step.
// Rank 0 repeats it alone and compares every value.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef SIDE
#define SIDE 64
#endif
#ifndef STEPS
#define STEPS 40
#endif
// Points of a row, the edge included.
#define WIDE (SIDE + 2)

// The edge is warm in the south-west; the inside begins at 0.
static double edge(int row, int column) { return row == 0 || column == 0 ? 1.0 / (1 + row + column) : 0.0; }

static double *grid(int first, int rows) {
  double *values = calloc((size_t)(rows + 2) * WIDE, sizeof *values);
  if (!values) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int row = 0; row < rows + 2; row++) {
    values[row * WIDE] = edge(first + row, 0);
    if (first + row == 0)
      for (int column = 0; column < WIDE; column++) values[column] = edge(0, column);
  }
  return values;
}

// One step over so many rows; the square of the change.
static double step(const double *from, double *into, int rows) {
  double change = 0;
  for (int row = 1; row <= rows; row++) {
    const double *at = from + row * WIDE;
    for (int column = 1; column <= SIDE; column++) {
      double value = 0.25 * (at[column - 1] + at[column + 1] + at[column - WIDE] + at[column + WIDE]);
      double moved = value - at[column];
      change += moved * moved;
      into[row * WIDE + column] = value;
    }
  }
  return change;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int rows = SIDE / ranks;
  if (rows * ranks != SIDE) {
    if (rank == 0) printf("refused: %d rows on %d ranks; accepted: a number of ranks that divides them\n", SIDE, ranks);
    MPI_Finalize();
    return 2;
  }
  int north = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, south = rank ? rank - 1 : MPI_PROC_NULL;
  double *now = grid(rank * rows, rows), *next = grid(rank * rows, rows), change = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int number = 0; number < STEPS; number++) {
    MPI_Sendrecv(now + rows * WIDE, WIDE, MPI_DOUBLE, north, 0, now, WIDE, MPI_DOUBLE, south, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(now + WIDE, WIDE, MPI_DOUBLE, south, 1, now + (rows + 1) * WIDE, WIDE, MPI_DOUBLE, north, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double own = step(now, next, rows);
    MPI_Allreduce(&own, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double *last = now;
    now = next;
    next = last;
  }
  double seconds = MPI_Wtime() - begin, longest;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  double *all = rank ? 0 : grid(0, SIDE);
  MPI_Gather(now + WIDE, rows * WIDE, MPI_DOUBLE, rank ? 0 : all + WIDE, rows * WIDE, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int is_wrong = 0;
  if (rank == 0) {
    double *alone = grid(0, SIDE), *other = grid(0, SIDE), sum = 0;
    for (int number = 0; number < STEPS; number++) {
      sum = step(alone, other, SIDE);
      double *last = alone;
      alone = other;
      other = last;
    }
    for (int i = WIDE; i < (SIDE + 1) * WIDE; i++) is_wrong |= all[i] != alone[i];
    // Ranks add in another order.
    is_wrong |= fabs(change - sum) > 1e-12 * sum;
    printf("jacobi %s, %.3f us\n", is_wrong ? "wrong" : "ok", longest * 1e6);
  }
  MPI_Finalize();
  return is_wrong;
}
