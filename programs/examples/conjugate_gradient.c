// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for -u'' = 1 on a line, points split over the ranks: in each step every rank gets the value beside its part from
// both neighbours, and all ranks add two numbers. The solution is known: rank by rank it is compared with it.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#ifndef POINTS
#define POINTS 64
#endif

// The values of this rank, and one of each neighbour, 0 at the ends of the line.
static double u[POINTS + 2], r[POINTS + 2], p[POINTS + 2], q[POINTS + 2];

static double sum(const double *a, const double *b, int points) {
  double own = 0, all;
  for (int i = 1; i <= points; i++) own += a[i] * b[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int first = POINTS * rank / ranks, points = POINTS * (rank + 1) / ranks - first;
  int before = rank ? rank - 1 : MPI_PROC_NULL, behind = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  for (int i = 1; i <= points; i++) r[i] = p[i] = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime(), norm = sum(r, r, points);
  int steps = 0;
  while (norm > 1e-20 * POINTS && steps < 2 * POINTS) {
    MPI_Sendrecv(p + points, 1, MPI_DOUBLE, behind, 0, p, 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(p + 1, 1, MPI_DOUBLE, before, 1, p + points + 1, 1, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= points; i++) q[i] = 2 * p[i] - p[i - 1] - p[i + 1];
    double length = norm / sum(p, q, points), last = norm;
    for (int i = 1; i <= points; i++) {
      u[i] += length * p[i];
      r[i] -= length * q[i];
    }
    norm = sum(r, r, points);
    for (int i = 1; i <= points; i++) p[i] = r[i] + norm / last * p[i];
    steps++;
  }
  double seconds = MPI_Wtime() - begin, own = 0, error;
  for (int i = 1; i <= points; i++) {
    int at = first + i;
    own = fmax(own, fabs(u[i] - 0.5 * at * (POINTS + 1 - at)));
  }
  MPI_Allreduce(&own, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int is_wrong = error > 1e-9 * POINTS * POINTS;
  if (rank == 0) printf("cg %s after %d steps, %.3f us\n", is_wrong ? "wrong" : "ok", steps, seconds * 1e6);
  MPI_Finalize();
  return is_wrong;
}
