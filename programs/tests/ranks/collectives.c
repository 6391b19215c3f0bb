// SPDX-License-Identifier: Apache-2.0
// Collectives and messages of the library with every root and several lengths, checked by value on every rank. Prints
// `ok` on rank 0; a rank with another result ends with 1.
#include <mpi.h>
#include <nocmsg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 300

static int rank, ranks;

static void check(int is_right, const char *what, int root, int count) {
  if (is_right) return;
  printf("%s, root %d, %d elements: wrong\n", what, root, count);
  exit(1);
}

static void broadcasts(int count) {
  static int data[MOST];
  for (int root = 0; root < ranks; root++) {
    for (int i = 0; i < count; i++) data[i] = rank == root ? 1000 * root + i : -1;
    MPI_Bcast(data, count, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) check(data[i] == 1000 * root + i, "broadcast", root, count);
  }
}

static void reductions(int count) {
  static double data[MOST], sum[MOST];
  for (int i = 0; i < count; i++) data[i] = rank + 0.5 * i;
  for (int root = 0; root < ranks; root++) {
    MPI_Reduce(data, sum, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
    double all = ranks * (ranks - 1) / 2.0;
    for (int i = 0; i < count && rank == root; i++)
      check(sum[i] == all + 0.5 * i * ranks, "reduce", root, count);
  }
  MPI_Allreduce(data, sum, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++) check(sum[i] == ranks - 1 + 0.5 * i, "all-reduce", 0, count);
}

static void exchanges(int count) {
  int *send = malloc(sizeof *send * (size_t)(count * ranks)), *receive = malloc(sizeof *send * (size_t)(count * ranks));
  for (int to = 0; to < ranks; to++)
    for (int i = 0; i < count; i++) send[to * count + i] = 10000 * rank + 100 * to + i % 100;
  MPI_Alltoall(send, count, MPI_INT, receive, count, MPI_INT, MPI_COMM_WORLD);
  for (int from = 0; from < ranks; from++)
    for (int i = 0; i < count; i++)
      check(receive[from * count + i] == 10000 * from + 100 * rank + i % 100, "all-to-all", from, count);
  memset(receive, 0, sizeof *receive * (size_t)(count * ranks));
  nm_all_to_all_rounds(send, receive, sizeof *send * (size_t)count);
  for (int from = 0; from < ranks; from++)
    for (int i = 0; i < count; i++)
      check(receive[from * count + i] == 10000 * from + 100 * rank + i % 100, "rounds", from, count);
  free(send);
  free(receive);
}

// Everybody sends to everybody before it receives, with tags in the opposite order.
static void messages(int count) {
  static int data[MOST], got[MOST];
  for (int to = 0; to < ranks; to++)
    for (int tag = 0; tag < 2; tag++) {
      for (int i = 0; i < count; i++) data[i] = 7 * rank + 3 * to + tag;
      MPI_Send(data, count, MPI_INT, to, tag, MPI_COMM_WORLD);
    }
  for (int from = ranks - 1; from >= 0; from--)
    for (int tag = 1; tag >= 0; tag--) {
      MPI_Status status;
      int received;
      MPI_Recv(got, MOST, MPI_INT, from, tag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &received);
      check(received == count && status.MPI_SOURCE == from && status.MPI_TAG == tag, "message", from, count);
      for (int i = 0; i < count; i++) check(got[i] == 7 * from + 3 * rank + tag, "message", from, count);
    }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  static const int counts[] = {0, 1, 3, 32, 33, 257};
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    broadcasts(counts[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    reductions(counts[i]);
    exchanges(counts[i]);
    messages(counts[i]);
  }
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
