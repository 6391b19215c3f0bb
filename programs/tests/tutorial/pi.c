// SPDX-License-Identifier: Apache-2.0
// Pi by the midpoint rule and by random points, both summed over ranks.

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char *argv[]) {
  int rank, size;
  long n = argc > 1 ? strtol(argv[1], NULL, 10) : 2000, inside = 0, all_inside;
  double mine = 0, pi = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  for (long i = rank; i < n; i += size) {
    double x = ((double)i + 0.5) / (double)n;
    mine += 4 / (1 + x * x);
  }
  mine /= (double)n;
  MPI_Reduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  srand48(17 + rank);
  for (long i = 0; i < n; i++) {
    double x = drand48(), y = drand48();
    inside += x * x + y * y <= 1;
  }
  MPI_Reduce(&inside, &all_inside, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%ld intervals: %.9f, wrong by less than 1e-6: %d\n", n, pi, fabs(pi - M_PI) < 1e-6);
    printf("%ld points: %.3f\n", n * size, 4.0 * (double)all_inside / (double)(n * size));
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
