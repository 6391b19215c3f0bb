// SPDX-License-Identifier: Apache-2.0
// Calls of every kind that is recorded; python/tests/test_message_traces.py compares what the recorder writes.
#include <mpi.h>
#include <stdlib.h>

static void messages(int rank, int ranks) {
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  char in[64], out[64] = {0};
  MPI_Request requests[4];
  MPI_Irecv(in, 64, MPI_BYTE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 3, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(out, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(in + 32, 32, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out, 5, MPI_CHAR, next, 3, in, 64, MPI_CHAR, before, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int other = 1; other < ranks; other++) {
    if (rank == 0) MPI_Recv(in, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == other) MPI_Ssend(out, rank, MPI_DOUBLE, 0, 10 + rank, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Message message;
  MPI_Send(out, 6, MPI_BYTE, next, 6, MPI_COMM_WORLD);
  MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, 64, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  MPI_Send_init(out, 7, MPI_BYTE, next, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 64, MPI_BYTE, before, 4, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 2; round++) {
    MPI_Startall(2, requests);
    for (int index, over = 0; over < 2; over++) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Isend(out, 1, MPI_BYTE, next, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Irecv(in, 1, MPI_BYTE, before, 5, MPI_COMM_WORLD, &requests[1]);
  for (int flag = 0; !flag;) MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 1, MPI_BYTE, before, 99, MPI_COMM_WORLD, &requests[1]);
  MPI_Cancel(&requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Send(out, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void collectives(MPI_Comm comm) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  double in[64] = {0}, out[64] = {0};
  int counts[8], places[8];
  for (int other = 0; other < ranks; other++) counts[other] = other + 1, places[other] = 8 * other;
  MPI_Barrier(comm);
  MPI_Bcast(in, 4, MPI_DOUBLE, ranks - 1, comm);
  MPI_Reduce(in, out, 4, MPI_DOUBLE, MPI_SUM, 1, comm);
  MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_INT, MPI_PROD, comm);
  MPI_Reduce_scatter_block(in, out, 2, MPI_LONG, MPI_MAX, comm);
  MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, comm);
  MPI_Scan(in, out, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Exscan(in, out, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Gather(rank ? in : MPI_IN_PLACE, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, 0, comm);
  MPI_Gatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, comm);
  MPI_Scatter(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, 0, comm);
  MPI_Scatterv(in, counts, places, MPI_DOUBLE, out, counts[rank], MPI_DOUBLE, 0, comm);
  MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm);
  MPI_Allgatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
  MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm);
  for (int other = 0; other < ranks; other++) counts[other] = 1;
  MPI_Alltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  messages(rank, ranks);
  collectives(MPI_COMM_WORLD);
  MPI_Comm half, copy, none;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(half, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &none);
  collectives(copy);
  MPI_Comm_free(&half);
  volatile double sum = 0;
  for (int i = 0; i < 1000000; i++) sum += 1e-3 * i;
  MPI_Barrier(copy);
  MPI_Finalize();
  return 0;
}
