// SPDX-License-Identifier: Apache-2.0
// Messages of growing length between pairs of ranks; times are positive, and data come back as they went.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 12 };

int main(int argc, char *argv[]) {
  int rank, size, wrong = 0, all_wrong;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int partner = rank ^ 1;
  unsigned char *sent = malloc(MOST), *received = calloc(1, MOST);
  if (!sent || !received) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < MOST; i++) sent[i] = (unsigned char)(i * 31 + 7);
  for (int bytes = 1; partner < size && bytes <= MOST; bytes *= 8) {
    double start = MPI_Wtime();
    for (int round = 0; round < 3; round++) {
      if (rank < partner) {
        MPI_Send(sent, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD);
        MPI_Recv(received, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += memcmp(sent, received, (size_t)bytes) != 0;
      } else {
        MPI_Recv(received, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(received, bytes, MPI_BYTE, partner, round, MPI_COMM_WORLD);
      }
    }
    wrong += MPI_Wtime() <= start;
  }
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong: %d\n", all_wrong);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
