// SPDX-License-Identifier: Apache-2.0
// Functions of mpi.h with values that do not depend on who carries them out: rank 0 prints the same lines over ports, with
// --calls on every network, and under mpiexec.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 300

static int rank, ranks;

// What every rank has found, at rank 0.
static void tell(const char *what, long own) {
  long sum = 0, least = 0, most = 0;
  MPI_Reduce(&own, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own, &least, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%-24s %ld %ld %ld\n", what, sum, least, most);
}

static long digest(const int *data, int count) {
  long sum = count;
  for (int i = 0; i < count; i++) sum = (sum * 31 + data[i]) % 1000003;
  return sum;
}

static void messages(int count) {
  int data[MOST], buffer[MOST];
  MPI_Status status;
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, received;
  for (int i = 0; i < count; i++) data[i] = 100 * rank + i;
  MPI_Sendrecv(data, count, MPI_INT, right, 3, buffer, MOST, MPI_INT, left, 3, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &received);
  tell("sendrecv", digest(buffer, received) + status.MPI_SOURCE + status.MPI_TAG);
  int above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  buffer[0] = -1;
  MPI_Sendrecv(data, count, MPI_INT, above, 4, buffer, MOST, MPI_INT, below, 4, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &received);
  tell("to nobody", digest(buffer, received) + (status.MPI_SOURCE == below));
  // To oneself, with tags in the opposite order.
  MPI_Request requests[4];
  int first[MOST], second[MOST];
  MPI_Irecv(second, MOST, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(first, MOST, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(data, count, MPI_INT, rank, 5, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(buffer, 1, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  tell("to oneself", digest(first, count) + second[0] + (requests[1] == MPI_REQUEST_NULL));
}

// Everybody to everybody, received from anybody.
static void crowd(int count) {
  static int data[MOST], buffer[MOST];
  MPI_Request *sends = malloc(sizeof *sends * (size_t)ranks);
  for (int i = 0; i < count; i++) data[i] = rank * rank + i;
  for (int to = 0; to < ranks; to++) MPI_Isend(data, count, MPI_INT, to, 10 + to % 3, MPI_COMM_WORLD, &sends[to]);
  long sum = 0;
  for (int i = 0; i < ranks; i++) {
    MPI_Status status;
    MPI_Recv(buffer, MOST, MPI_INT, MPI_ANY_SOURCE, 10 + rank % 3, MPI_COMM_WORLD, &status);
    sum += digest(buffer, count) * (status.MPI_SOURCE + 1);
  }
  for (int to = 0; to < ranks; to++) MPI_Wait(&sends[to], MPI_STATUS_IGNORE);
  tell("anybody", sum);
  free(sends);
}

static void collectives(int count) {
  static int data[MOST], buffer[MOST];
  static double fine[MOST], all[MOST];
  for (int i = 0; i < count; i++) {
    data[i] = (rank == ranks - 1) * (7 * i + 1);
    fine[i] = 0.25 * rank + i;
  }
  MPI_Bcast(data, count, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  tell("bcast", digest(data, count));
  for (int i = 0; i < count; i++) data[i] = rank + i;
  MPI_Reduce(data, buffer, count, MPI_INT, MPI_SUM, ranks / 2, MPI_COMM_WORLD);
  tell("reduce", rank == ranks / 2 ? digest(buffer, count) : 0);
  MPI_Allreduce(fine, all, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  long sum = 0;
  for (int i = 0; i < count; i++) sum += (long)(4 * all[i]);
  tell("allreduce", sum);
  for (int i = 0; i < count; i++) data[i] = 1 + (rank + i) % 2;
  MPI_Allreduce(MPI_IN_PLACE, data, count, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
  tell("product, in place", digest(data, count));
  int *send = malloc(sizeof *send * (size_t)(count * ranks + 1)), *receive = malloc(sizeof *send * (size_t)(count * ranks + 1));
  for (int i = 0; i < count * ranks; i++) send[i] = 1000 * rank + i;
  MPI_Alltoall(send, count, MPI_INT, receive, count, MPI_INT, MPI_COMM_WORLD);
  tell("alltoall", digest(receive, count * ranks));
  free(send);
  free(receive);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double start = MPI_Wtime();
  static const int counts[] = {0, 1, 5, 64, 257};
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    if (rank == 0) printf("%d elements\n", counts[i]);
    messages(counts[i]);
    crowd(counts[i]);
    collectives(counts[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  tell("time has passed", MPI_Wtime() > start);
  MPI_Finalize();
  return 0;
}
