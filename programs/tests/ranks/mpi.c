// SPDX-License-Identifier: Apache-2.0
// Calls of MPI, checked by value on every rank, on tiles as with native MPI: receives meet messages in MPI's order, blocks of any
// length, the communicator of one rank. Prints `ok` on rank 0; a rank with another result ends with 1.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64
#define WORDS 100
#define LONG 4000

static int rank, ranks;

static void check(int is_right, const char *what) {
  if (is_right) return;
  printf("rank %d: %s: wrong\n", rank, what);
  exit(1);
}

// The receives are waited for in the opposite order; the first one that fits gets the first message.
static void order_of_receives(void) {
  int first[WORDS], second[WORDS], third[WORDS], data[WORDS];
  MPI_Request requests[3];
  MPI_Status status;
  int before = (rank + ranks - 1) % ranks;
  MPI_Irecv(first, WORDS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(second, WORDS, MPI_INT, before, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(third, WORDS, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[2]);
  for (int number = 0; number < 3; number++) {
    for (int i = 0; i < WORDS; i++) data[i] = 1000 * rank + 100 * number + i % 100;
    MPI_Send(data, WORDS - number, MPI_INT, (rank + 1) % ranks, number == 0 ? 4 : 5, MPI_COMM_WORLD);
  }
  int *const places[3] = {first, second, third};
  for (int number = 2; number >= 0; number--) {
    int count;
    MPI_Wait(&requests[number], &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(count == WORDS - number && status.MPI_SOURCE == before, "status of a receive");
    check(status.MPI_TAG == (number == 0 ? 4 : 5), "tag of a receive");
    for (int i = 0; i < count; i++) check(places[number][i] == 1000 * before + 100 * number + i, "order of receives");
  }
}

// Messages that come before their receives, and are received by tag, then by order.
static void kept_messages(void) {
  int got, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int tag = 0; tag < 4; tag++) {
    int value = 10 * rank + tag;
    MPI_Send(&value, 1, MPI_INT, next, tag % 2, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int tags[4] = {1, MPI_ANY_TAG, 1, MPI_ANY_TAG}, wanted[4] = {1, 0, 3, 2};
  for (int i = 0; i < 4; i++) {
    MPI_Recv(&got, 1, MPI_INT, before, tags[i], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(got == 10 * before + wanted[i], "order of kept messages");
  }
}

// Block r has r + 1 elements of value 100 root + r.
static void blocks_of_a_root(int root) {
  int counts[MOST], starts[MOST], all[MOST * MOST], own[MOST], equal[2], pairs[2 * MOST];
  for (int r = 0, start = 0; r < ranks; start += counts[r++]) {
    counts[r] = r + 1;
    starts[r] = start;
    for (int i = 0; rank == root && i < counts[r]; i++) all[start + i] = 100 * root + r;
  }
  MPI_Scatterv(all, counts, starts, MPI_INT, own, rank + 1, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i <= rank; i++) check(own[i] == 100 * root + rank, "scatterv");
  for (int i = 0; i <= rank; i++) own[i] += 7;
  MPI_Gatherv(own, rank + 1, MPI_INT, all, counts, starts, MPI_INT, root, MPI_COMM_WORLD);
  for (int r = 0; rank == root && r < ranks; r++)
    for (int i = 0; i < counts[r]; i++) check(all[starts[r] + i] == 100 * root + r + 7, "gatherv");
  for (int i = 0; i < 2 * ranks; i++) pairs[i] = 3 * i + root;
  MPI_Scatter(pairs, 2, MPI_INT, equal, 2, MPI_INT, root, MPI_COMM_WORLD);
  check(equal[0] == 6 * rank + root && equal[1] == 6 * rank + 3 + root, "scatter");
  MPI_Gather(equal, 2, MPI_INT, pairs, 2, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; rank == root && i < 2 * ranks; i++) check(pairs[i] == 3 * i + root, "gather");
}

static void blocks_of_all(void) {
  int counts[MOST], starts[MOST], all[MOST * MOST], own[MOST], single[MOST];
  for (int r = 0, start = 0; r < ranks; start += counts[r++]) {
    counts[r] = r;
    starts[r] = start;
  }
  for (int i = 0; i < rank; i++) own[i] = 50 * rank + i;
  MPI_Allgatherv(own, rank, MPI_INT, all, counts, starts, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < r; i++) check(all[starts[r] + i] == 50 * r + i, "allgatherv");
  single[rank] = rank * rank;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, single, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++) check(single[r] == r * r, "allgather");
}

// To rank r go (own rank + r) % 3 elements.
static void exchange_of_any_length(void) {
  int send[3 * MOST], receive[3 * MOST], send_counts[MOST], receive_counts[MOST], starts[MOST];
  for (int r = 0; r < ranks; r++) {
    send_counts[r] = receive_counts[r] = (rank + r) % 3;
    starts[r] = 3 * r;
    for (int i = 0; i < 3; i++) send[3 * r + i] = 1000 * rank + 10 * r + i;
  }
  MPI_Alltoallv(send, send_counts, starts, MPI_INT, receive, receive_counts, starts, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < receive_counts[r]; i++) check(receive[3 * r + i] == 1000 * r + 10 * rank + i, "alltoallv");
}

static void communicator_of_one(void) {
  int own, size, value = rank, sum = -1, got = -1;
  MPI_Comm_rank(MPI_COMM_SELF, &own);
  MPI_Comm_size(MPI_COMM_SELF, &size);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  check(own == 0 && size == 1 && sum == rank, "the communicator of one rank");
  MPI_Request request;
  int in_world = -1, two = rank + 2;
  MPI_Irecv(&in_world, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  check(got == rank && in_world == -1, "a message in the communicator of one rank");
  MPI_Send(&two, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(in_world == rank + 2, "messages of two communicators");
  check(MPI_Wtick() > 0 && MPI_Wtime() >= 0, "time");
}

// Ranks go into a broadcast before they receive a message that is longer than any queue, which its sender is in the middle of.
static void broadcast_before_receive(void) {
  static int sent[LONG], got[LONG];
  int word = rank == 0 ? 42 : 0, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Request request;
  for (int i = 0; i < LONG; i++) sent[i] = LONG * rank + i;
  MPI_Isend(sent, LONG, MPI_INT, next, 9, MPI_COMM_WORLD, &request);
  MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Recv(got, LONG, MPI_INT, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(word == 42, "a broadcast between a message and its receive");
  for (int i = 0; i < LONG; i++) check(got[i] == LONG * before + i, "a message across a broadcast");
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  order_of_receives();
  kept_messages();
  for (int root = 0; root < ranks; root++) blocks_of_a_root(root);
  blocks_of_all();
  exchange_of_any_length();
  communicator_of_one();
  broadcast_before_receive();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ok\n");
  MPI_Finalize();
  return 0;
}
