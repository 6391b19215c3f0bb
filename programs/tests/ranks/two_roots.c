// SPDX-License-Identifier: Apache-2.0
// Broadcasts of two roots while a rank is in the middle of a long message to the first one, which receives it behind them: a root that
// waited for the words of its last broadcast without reading would wait for ever.

#include <mpi.h>
#include <stdio.h>

enum { BYTES = 8000 };

int main(int argc, char **argv) {
  static char message[BYTES], few[4], more[64];
  int rank, last;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &last);
  last--;
  if (rank == last) {
    for (int i = 0; i < BYTES; i++) message[i] = (char)(i % 101);
    MPI_Isend(message, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
  }
  if (rank == 0) few[0] = 3;
  if (rank == 1) more[63] = 5;
  MPI_Bcast(few, sizeof few, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(more, sizeof more, MPI_CHAR, 1, MPI_COMM_WORLD);
  int wrong = few[0] != 3 || more[63] != 5;
  if (rank == last) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_Recv(message, BYTES, MPI_CHAR, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < BYTES; i++) wrong |= message[i] != (char)(i % 101);
  }
  printf(wrong ? "wrong\n" : "ok\n");
  MPI_Finalize();
  return wrong;
}
