// SPDX-License-Identifier: Apache-2.0
// A number goes around the ring of all ranks; everybody adds its own rank.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int sum = 0;
  if (rank == 0) {
    MPI_Send(&sum, 1, MPI_INT, 1 % ranks, 7, MPI_COMM_WORLD);
    MPI_Recv(&sum, 1, MPI_INT, ranks - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("the sum of all ranks is %d\n", sum);
  } else {
    MPI_Recv(&sum, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += rank;
    MPI_Send(&sum, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
