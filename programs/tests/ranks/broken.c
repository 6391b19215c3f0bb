// SPDX-License-Identifier: Apache-2.0
// Programs that go wrong, by number: what each does must end the run with the rank and the place.
#include <mpi.h>
#include <noccl.h>
#include <stdlib.h>

#ifndef CASE
#define CASE 0
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, data = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
#if CASE == 0
    // Nobody sends that.
    MPI_Recv(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif CASE == 1
    // No such tile.
    noccl_store64(NOCCL_PORT_SEND, 200);
    noccl_store64(NOCCL_PORT_SEND, 200);
#elif CASE == 2
    *(volatile int *)8 = 1;
#elif CASE == 3
    // One stores to that port.
    data = (int)noccl_load(NOCCL_PORT_SEND);
#elif CASE == 4
    exit(7);
#elif CASE == 5
    // A buffer that is too short.
    MPI_Recv(&data, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#elif CASE == 6
    // Another collective than the others.
    MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD);
#elif CASE == 7
    MPI_Send(&data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
#elif CASE == 8
    MPI_Abort(MPI_COMM_WORLD, 3);
#elif CASE == 9
    for (;;) *(volatile int *)&data = 1;
#elif CASE == 10
    // Longer than a message may be over ports.
    MPI_Send(&data, 1 << 24, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
#elif CASE == 11
    MPI_Comm alone, stale;
    MPI_Comm_split(MPI_COMM_SELF, 0, 0, &alone);
    stale = alone;
    MPI_Comm_free(&alone);
    MPI_Barrier(stale);
#elif CASE == 12
    for (MPI_Comm alone;;) MPI_Comm_dup(MPI_COMM_SELF, &alone);
#endif
  }
#if CASE == 6
  if (rank != 1) MPI_Barrier(MPI_COMM_WORLD);
#endif
#if CASE == 5
  int two[2] = {1, 2};
  if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 4, MPI_COMM_WORLD);
#endif
  return data & 0;
}
