// SPDX-License-Identifier: Apache-2.0
// Every rank says who it is, with its arguments; rank 0 hears from all in the order of ranks.

#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[]) {
  int rank, size, length;
  char processor[MPI_MAX_PROCESSOR_NAME], line[128];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(processor, &length);
  if (length <= 0) fprintf(stderr, "no name\n");
  snprintf(line, sizeof line, "rank %d of %d, %d arguments, the last one is '%s'", rank, size, argc - 1,
           argc > 1 ? argv[argc - 1] : "");
  if (rank != 0) {
    MPI_Send(line, (int)strlen(line) + 1, MPI_CHAR, 0, rank, MPI_COMM_WORLD);
  } else {
    puts(line);
    for (int other = 1; other < size; other++) {
      MPI_Status status;
      MPI_Recv(line, sizeof line, MPI_CHAR, MPI_ANY_SOURCE, other, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_CHAR, &length);
      printf("%s (%d characters from %d)\n", line, length - 1, status.MPI_SOURCE);
    }
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
