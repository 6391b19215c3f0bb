// SPDX-License-Identifier: Apache-2.0
// Collectives that are concurrent with the calls of their ranks, persistent ones, and messages that a probe has found.

#include "show.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All at a time, ended in another order; a message between them needs no rank's wait.
static void together(void) {
  int data[2] = {rank + 1, 10 * rank}, bcast[2] = {rank, rank}, sum[2], product[2], most[2], scanned[2], below[2] = {-1, -1};
  int *gathered = calloc(2 * (size_t)size, sizeof(int)), *all = calloc(2 * (size_t)size, sizeof(int));
  int *sent = calloc(2 * (size_t)size, sizeof(int)), *received = calloc(2 * (size_t)size, sizeof(int)), part[2], token = rank, came;
  for (int i = 0; i < 2 * size; i++) sent[i] = 100 * rank + i;
  MPI_Request r[12];
  MPI_Status status;
  MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
  MPI_Ibcast(bcast, 2, MPI_INT, size - 1, MPI_COMM_WORLD, &r[1]);
  MPI_Iallreduce(data, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[2]);
  MPI_Iallreduce(data, product, 2, MPI_INT, MPI_PROD, MPI_COMM_WORLD, &r[3]);
  MPI_Ireduce(data, most, 2, MPI_INT, MPI_MAX, 1, MPI_COMM_WORLD, &r[4]);
  MPI_Igather(data, 2, MPI_INT, gathered, 2, MPI_INT, 0, MPI_COMM_WORLD, &r[5]);
  MPI_Iscatter(sent, 2, MPI_INT, part, 2, MPI_INT, 0, MPI_COMM_WORLD, &r[6]);
  MPI_Iallgather(data, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, &r[7]);
  MPI_Ialltoall(sent, 2, MPI_INT, received, 2, MPI_INT, MPI_COMM_WORLD, &r[8]);
  MPI_Iscan(data, scanned, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[9]);
  MPI_Iexscan(data, below, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[10]);
  MPI_Ireduce_scatter_block(sent, &came, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[11]);
  // Of one rank the wait is before the message that the other one waits for.
  if (rank == 0) MPI_Recv(&token, 1, MPI_INT, size - 1, 4, MPI_COMM_WORLD, &status);
  MPI_Wait(&r[4], MPI_STATUS_IGNORE);
  MPI_Waitall(12, r, MPI_STATUSES_IGNORE);
  if (rank == size - 1) MPI_Send(&token, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  int reduced[2] = {rank == 1 ? most[0] : 0, rank == 1 ? most[1] : 0};
  show("bcast ", bcast, 2);
  show("sum ", sum, 2);
  show("product ", product, 2);
  show("most ", reduced, 2);
  if (rank == 0) show("gathered ", gathered, 2 * size);
  else show("gathered ", all, 2 * size);
  show("part ", part, 2);
  show("all ", all, 2 * size);
  show("received ", received, 2 * size);
  show("scanned ", scanned, 2);
  show("below ", rank ? below : scanned, 2);
  show("came ", &came, 1);
  free(gathered);
  free(all);
  free(sent);
  free(received);
}

// Blocks of different lengths, derived datatypes, buffers in place, operators of the program.
// Functions x -> a x + b, the left one first: an operator that does not commute.
static void then(void *in, void *in_out, int *count, MPI_Datatype *type) {
  (void)type;
  const int *first = in;
  for (int *next = in_out; next < (int *)in_out + 2 * *count; next += 2, first += 2) {
    next[1] += next[0] * first[1];
    next[0] *= first[0];
  }
}

static void blocks(void) {
  int *counts = malloc(4 * (size_t)size * sizeof(int)), *places = counts + size, *sent_counts = places + size, *sent_places = sent_counts + size;
  int total = 0, sent_total = 0;
  for (int i = 0; i < size; i++) {
    counts[i] = i % 3;
    places[i] = total;
    total += counts[i] + 1;
    sent_counts[i] = rank % 3;
    sent_places[i] = i;
    sent_total = i + 3;
  }
  int *all = calloc((size_t)total + 8, sizeof(int)), *sent = calloc((size_t)sent_total + 8, sizeof(int));
  for (int i = 0; i < sent_total; i++) sent[i] = 10 * rank + i;
  MPI_Request r[4];
  MPI_Ialltoallv(sent, sent_counts, sent_places, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &r[0]);
  int *gathered = calloc((size_t)total + 8, sizeof(int));
  MPI_Iallgatherv(sent, rank % 3, MPI_INT, gathered, counts, places, MPI_INT, MPI_COMM_WORLD, &r[1]);
  MPI_Datatype column;
  MPI_Type_vector(2, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  int table[6] = {rank, 1, 2, rank + 3, 4, 5}, root_table[6] = {rank, -1, -1, -rank, -1, -1};
  int *columns = calloc(12 * (size_t)size, sizeof(int));
  MPI_Igather(table, 1, column, columns, 2, MPI_INT, size - 1, MPI_COMM_WORLD, &r[2]);
  MPI_Ibcast(root_table, 1, column, 1, MPI_COMM_WORLD, &r[3]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  show("alltoallv ", all, total);
  show("allgatherv ", gathered, total);
  show("columns ", columns, 2 * size);
  show("table ", root_table, 6);
  MPI_Op op;
  MPI_Op_create(then, 0, &op);
  MPI_Datatype function;
  MPI_Type_contiguous(2, MPI_INT, &function);
  MPI_Type_commit(&function);
  int mine[2] = {1 + rank % 2, rank};
  MPI_Iallreduce(MPI_IN_PLACE, mine, 1, function, op, MPI_COMM_WORLD, &r[0]);
  int flag = 0;
  while (!flag) MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
  show("own operator ", mine, 2);
  int *place = calloc((size_t)size, sizeof(int));
  place[rank] = 7 * rank;
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, place, 1, MPI_INT, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  show("in place ", place, size);
  MPI_Op_free(&op);
  MPI_Type_free(&column);
  MPI_Type_free(&function);
  free(counts);
  free(all);
  free(sent);
  free(gathered);
  free(columns);
  free(place);
}

static void persistent(void) {
  int value = rank, sum, most, root = 0;
  MPI_Request r[3];
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Bcast_init(&root, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
  for (int i = 0; i < 3; i++) {
    if (rank == 0) root = 5 + i;
    MPI_Startall(3, r);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    most = sum + root;
    show("persistent ", &most, 1);
    value += i;
  }
  for (int i = 0; i < 3; i++) MPI_Request_free(&r[i]);
}

// Rank 0 takes messages of any rank that a probe has found, while another receive of any message stands.
static void matched(void) {
  int sent[3] = {rank, 2 * rank, 3 * rank}, sum = 0, lengths = 0;
  MPI_Message message;
  MPI_Status status;
  if (rank != 0) MPI_Send(sent, 1 + rank % 3, MPI_INT, 0, 9, MPI_COMM_WORLD);
  for (int i = 1; rank == 0 && i < size; i++) {
    int got[3] = {0, 0, 0}, count, flag = 0;
    if (i % 2) MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &message, &status);
    while (i % 2 == 0 && !flag) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    if (i % 2) {
      MPI_Mrecv(got, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
      MPI_Request request;
      MPI_Imrecv(got, count, MPI_INT, &message, &request);
      MPI_Wait(&request, &status);
    }
    if (message != MPI_MESSAGE_NULL || status.MPI_SOURCE != got[0]) printf("wrong message\n");
    for (int j = 0; j < count; j++) sum += got[j] * (j + 1);
    lengths += count;
  }
  if (rank == 0) printf("matched %d of %d\n", sum, lengths);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  together();
  blocks();
  persistent();
  matched();
  MPI_Finalize();
  return 0;
}
