// SPDX-License-Identifier: Apache-2.0
// Functions of mpi.h that programs of --calls have besides those of the message library, with native MPI too: groups,
// prefixes, parts of sums, probes, and looks at requests. Rank 0 prints what all have found.
#include <mpi.h>
#include <stdio.h>

static int rank, ranks;

static void tell(const char *what, int own) {
  int all[64];
  MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank) return;
  printf("%s:", what);
  for (int r = 0; r < ranks; r++) printf(" %d", all[r]);
  printf("\n");
}

static void groups(void) {
  MPI_Comm half, copy;
  int own = -1, size = -1, sum = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &size);
  tell("rank in a half", 100 * size + own);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
  tell("sum of a half", sum);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_PROD, half);
  tell("product of a half", sum);
  int root = rank;
  MPI_Bcast(&root, 1, MPI_INT, size - 1, half);
  tell("last of a half", root);
  MPI_Comm_dup(half, &copy);
  // Messages of two communicators do not meet.
  int first = -1, second = -1, mine = rank + 10, other = rank + 20;
  MPI_Request requests[2];
  MPI_Irecv(&first, 1, MPI_INT, (own + size - 1) % size, 0, half, &requests[0]);
  MPI_Irecv(&second, 1, MPI_INT, (own + size - 1) % size, 0, copy, &requests[1]);
  MPI_Send(&other, 1, MPI_INT, (own + 1) % size, 0, copy);
  MPI_Send(&mine, 1, MPI_INT, (own + 1) % size, 0, half);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  tell("two communicators", 1000 * first + second);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, 0, &some);
  tell("in no group", some == MPI_COMM_NULL);
}

static void sums(void) {
  int data[64], part = 0, counts[64], parts[64] = {0};
  for (int r = 0; r < ranks; r++) data[r] = 10 * rank + r;
  MPI_Scan(&data[0], &part, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("scan", part);
  part = -1;
  MPI_Exscan(&data[0], &part, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  tell("exscan", rank ? part : 0);
  MPI_Reduce_scatter_block(data, &part, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("part of a sum", part);
  for (int r = 0; r < ranks; r++) counts[r] = r == 0 ? ranks : 0;
  MPI_Reduce_scatter(data, parts, counts, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  tell("all parts at rank 0", parts[ranks - 1]);
}

static void looks(void) {
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, value = rank;
  int got[3] = {0}, sent[3] = {1, 2, 3}, flag = 0, index, count;
  MPI_Status status;
  MPI_Request requests[3];
  MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 1, left, 1, MPI_COMM_WORLD, &status);
  tell("replaced", value);
  MPI_Isend(sent, 3, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Probe(left, 2, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &status);
  MPI_Recv(got, 3, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  tell("probed", 10 * count + (status.MPI_SOURCE == left));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iprobe(left, 9, MPI_COMM_WORLD, &flag, &status);
  tell("nothing to probe", flag);
  for (int i = 0; i < 3; i++) MPI_Irecv(&got[i], 1, MPI_INT, left, 10 + i, MPI_COMM_WORLD, &requests[i]);
  MPI_Test(&requests[1], &flag, &status);
  int early = flag;
  MPI_Barrier(MPI_COMM_WORLD);
  value = 7 * rank;
  MPI_Send(&value, 1, MPI_INT, right, 12, MPI_COMM_WORLD);
  MPI_Waitany(3, requests, &index, &status);
  tell("any", 100 * index + got[2] + early + (requests[2] == MPI_REQUEST_NULL));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, right, 10, MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, right, 11, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  tell("all", got[0] + got[1]);
  MPI_Testany(3, requests, &index, &flag, &status);
  tell("none left", flag && index == MPI_UNDEFINED);
  MPI_Irecv(got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Ssend(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
  MPI_Waitsome(1, requests, &count, &index, &status);
  tell("some", 10 * count + index);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  groups();
  sums();
  looks();
  MPI_Finalize();
  return 0;
}
