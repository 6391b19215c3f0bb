// SPDX-License-Identifier: Apache-2.0
// Waiting for one of many requests, looks at messages that come late, sends that wait for their receiver, communicators that share
// ranks, and prefixes of all types and operators, checked by value on every rank; rank 0 prints what all have found. With native MPI too.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 64
#define LONG 3000

static int rank, ranks;

static void tell(const char *what, long own) {
  long all[MOST];
  MPI_Gather(&own, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank) return;
  printf("%s:", what);
  for (int r = 0; r < ranks; r++) printf(" %ld", all[r]);
  printf("\n");
}

// Rank 0 takes messages of all in the order in which they come, until each request is over. Sends are among the requests.
static void any_and_some(void) {
  int got[2 * MOST], own[2] = {rank, rank + 100}, num = 0, seen = 0;
  long sum = 0;
  MPI_Request requests[2 * MOST + 2];
  MPI_Status status, statuses[2 * MOST + 2];
  MPI_Isend(&own[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[num++]);
  MPI_Isend(&own[1], 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[num++]);
  for (int r = 0; rank == 0 && r < ranks; r++) {
    MPI_Irecv(&got[2 * r], 1, MPI_INT, r, 2, MPI_COMM_WORLD, &requests[num++]);
    MPI_Irecv(&got[2 * r + 1], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[num++]);
  }
  for (int i = 0, index; i < num / 2; i++) {
    MPI_Waitany(num, requests, &index, &status);
    if (index >= 2) sum += 1000 * status.MPI_TAG + got[index - 2];
    seen++;
  }
  int over, indices[2 * MOST + 2];
  while (MPI_Waitsome(num, requests, &over, indices, statuses), over != MPI_UNDEFINED) {
    for (int i = 0; i < over; i++)
      if (indices[i] >= 2) sum += 1000 * statuses[i].MPI_TAG + got[indices[i] - 2];
    seen += over;
  }
  tell("requests that were over", seen);
  tell("of any and some", sum);
}

// Nobody sends before all have looked and found nothing; then they look until the message is there.
static void late_message(void) {
  static int data[LONG], buffer[LONG];
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, flag, seen, found, looks = 0, count, value = 0;
  MPI_Request request, sent;
  MPI_Status status;
  for (int i = 0; i < LONG; i++) data[i] = rank * LONG + i;
  MPI_Irecv(buffer, LONG, MPI_INT, left, 7, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &seen, &status);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
  MPI_Isend(data, LONG, MPI_INT, right, 7, MPI_COMM_WORLD, &sent);
  for (flag = 0; !flag; looks++) MPI_Test(&request, &flag, &status);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Get_count(&status, MPI_INT, &count);
  tell("early", 10 * seen + found);
  tell("late", 10 * (looks > 0) + (request == MPI_REQUEST_NULL) + count);
  tell("whose", status.MPI_SOURCE == left && status.MPI_TAG == 7);
  for (int i = 0; i < LONG; i++) value += buffer[i] != left * LONG + i;
  tell("wrong elements", value);
}

// Messages of any rank and tag are looked at, then received by what was found.
static void probes(void) {
  static int buffer[LONG];
  long sum = 0;
  int data[MOST] = {0};
  MPI_Request requests[MOST];
  for (int to = 0; to < ranks; to++) MPI_Isend(data, rank + 1, MPI_INT, to, 20 + rank, MPI_COMM_WORLD, &requests[to]);
  for (int i = 0; i < ranks; i++) {
    MPI_Status status, received;
    int count, flag = 0;
    if (i % 2) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    } else {
      while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    }
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(buffer, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &received);
    sum += (count == status.MPI_SOURCE + 1) + (status.MPI_TAG == 20 + status.MPI_SOURCE) +
           (received.MPI_SOURCE == status.MPI_SOURCE);
  }
  MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  tell("probed", sum);
}

// A synchronous send is over when its receive has begun, and not when another one has; messages keep their order.
static void synchronous(void) {
  int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks, flag, early = 0, got[3], sent[3] = {1, 2, 3};
  MPI_Request requests[3];
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Issend(&sent[0], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(&sent[1], 1, MPI_INT, right, 1, twin, &requests[1]);
  MPI_Isend(&sent[2], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; i++) {
    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    early += flag;
  }
  // Nobody receives before all have looked.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(&got[1], 1, MPI_INT, left, 1, twin, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  early += flag;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&got[2], 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  tell("over before a receive", early);
  tell("in order", 100 * got[0] + 10 * got[1] + got[2]);
  // To a receiver that computes and comes late, and to oneself.
  double start = MPI_Wtime();
  if (rank % 2) while (MPI_Wtime() - start < 2e-5) continue;
  MPI_Irecv(&got[0], 1, MPI_INT, left, 4, twin, &requests[0]);
  MPI_Ssend(&rank, 1, MPI_INT, right, 4, twin);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Irecv(&got[1], 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[1]);
  MPI_Ssend(&rank, 1, MPI_INT, 0, 4, MPI_COMM_SELF);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  tell("late receivers", (got[0] == left) + (got[1] == rank));
  MPI_Comm_free(&twin);
  // A receiver that waits in a collective receives.
  int sum = 0;
  MPI_Irecv(&got[0], 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]);
  if (rank % 2) MPI_Ssend(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank % 2 == 0) MPI_Ssend(&rank, 1, MPI_INT, right, 5, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  tell("in a collective", (got[0] == left) + (sum == ranks * (ranks - 1) / 2));
}

// Rows and columns of ranks: who shares a row calls its collective first or last, as its place is even or odd.
static void rows_and_columns(void) {
  int width = ranks > 3 ? 3 : 2, in_row, in_column, sums[3] = {0}, all[MOST], blocks[2 * MOST], parts[2 * MOST];
  MPI_Comm row, column, reversed;
  MPI_Comm_split(MPI_COMM_WORLD, rank / width, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % width, rank, &column);
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
  MPI_Comm_rank(row, &in_row);
  MPI_Comm_rank(column, &in_column);
  int row_size, column_size, place;
  MPI_Comm_size(row, &row_size);
  MPI_Comm_size(column, &column_size);
  MPI_Comm_rank(reversed, &place);
  for (int root = 0; root < row_size; root++) MPI_Reduce(&rank, &sums[0], 1, MPI_INT, MPI_SUM, root, row);
  MPI_Allreduce(&rank, &sums[1], 1, MPI_INT, MPI_MAX, column);
  MPI_Scan(&rank, &sums[2], 1, MPI_INT, MPI_SUM, reversed);
  tell("row", sums[0]);
  tell("column", sums[1]);
  tell("reversed", 1000 * place + sums[2]);
  long seen = 0;
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, column);
  for (int r = 0; r < column_size; r++) seen = 31 * seen + all[r];
  for (int r = 0; r < 2 * ranks; r++) blocks[r] = 100 * rank + r;
  MPI_Alltoall(blocks, 2, MPI_INT, parts, 2, MPI_INT, reversed);
  for (int r = 0; r < 2 * ranks; r++) seen = (31 * seen + parts[r]) % 1000003;
  MPI_Alltoall(MPI_IN_PLACE, 2, MPI_INT, blocks, 2, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < 2 * ranks; r++) seen = (31 * seen + blocks[r]) % 1000003;
  MPI_Scatter(blocks, 1, MPI_INT, parts, 1, MPI_INT, row_size - 1, row);
  MPI_Gather(parts, 1, MPI_INT, all, 1, MPI_INT, 0, reversed);
  if (place == 0) for (int r = 0; r < ranks; r++) seen = (31 * seen + all[r]) % 1000003;
  tell("blocks", seen);
  // A rank that is in the row's first place goes to its column first; the others wait in the row's broadcast.
  int word = rank, other = rank;
  if (in_row == 0) {
    MPI_Bcast(&other, 1, MPI_INT, column_size - 1, column);
    MPI_Bcast(&word, 1, MPI_INT, 0, row);
  } else {
    MPI_Bcast(&word, 1, MPI_INT, 0, row);
    MPI_Bcast(&other, 1, MPI_INT, column_size - 1, column);
  }
  tell("two broadcasts", 100 * word + other);
  // A receive of any message takes none of a collective.
  int any = -1;
  MPI_Request request;
  MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, &request);
  MPI_Barrier(reversed);
  MPI_Allreduce(&rank, &word, 1, MPI_INT, MPI_SUM, reversed);
  other = rank + 1000;
  MPI_Send(&other, 1, MPI_INT, (place + 1) % ranks, 6, reversed);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  tell("across a collective", 10 * any + (word == ranks * (ranks - 1) / 2));
  // A message from any rank of a communicator names its rank there.
  MPI_Status status;
  MPI_Sendrecv(&rank, 1, MPI_INT, (place + 1) % ranks, 3, &word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, &status);
  tell("source", 100 * word + status.MPI_SOURCE);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  MPI_Comm_free(&reversed);
  // Numbers are used again.
  for (int i = 0; i < 100; i++) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &row);
    MPI_Comm_free(&row);
  }
  tell("freed", row == MPI_COMM_NULL);
}

#define PREFIXES(NAME, TYPE, MPI_TYPE)                                                              \
  static void NAME(void) {                                                                          \
    static const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};                              \
    TYPE data[2 * MOST], part[2], before[2];                                                        \
    int counts[MOST];                                                                               \
    long found = 0;                                                                                 \
    for (int op = 0; op < 4; op++) {                                                                \
      for (int r = 0; r < 2 * ranks; r++) data[r] = (TYPE)(1 + (7 * rank + r + op) % 3);            \
      for (int r = 0; r < ranks; r++) counts[r] = r == 0 ? 2 : r == ranks - 1 ? 0 : 1;              \
      if (ranks == 1) counts[0] = 1;                                                                \
      part[0] = part[1] = before[0] = before[1] = 0;                                                \
      MPI_Scan(data, part, 2, MPI_TYPE, ops[op], MPI_COMM_WORLD);                                   \
      MPI_Exscan(data, before, 2, MPI_TYPE, ops[op], MPI_COMM_WORLD);                               \
      if (rank == 0) before[0] = before[1] = 0;                                                     \
      found = (31 * found + (long)part[0] + 3 * (long)part[1] + 5 * (long)before[0] + 7 * (long)before[1]) % 1000003; \
      MPI_Reduce_scatter_block(data, part, 2, MPI_TYPE, ops[op], MPI_COMM_WORLD);                   \
      before[0] = before[1] = 0;                                                                    \
      MPI_Reduce_scatter(data, before, counts, MPI_TYPE, ops[op], MPI_COMM_WORLD);                  \
      found = (31 * found + (long)part[0] + 3 * (long)part[1] + 5 * (long)before[0] + 7 * (long)before[1]) % 1000003; \
      MPI_Scan(MPI_IN_PLACE, data, 2, MPI_TYPE, ops[op], MPI_COMM_WORLD);                           \
      found = (31 * found + (long)data[0] + 3 * (long)data[1]) % 1000003;                           \
    }                                                                                               \
    tell(#NAME, found);                                                                             \
  }
PREFIXES(ints, int, MPI_INT)
PREFIXES(longs, long, MPI_LONG)
PREFIXES(unsigneds, unsigned, MPI_UNSIGNED)
PREFIXES(unsigned_longs, unsigned long, MPI_UNSIGNED_LONG)
PREFIXES(floats, float, MPI_FLOAT)
PREFIXES(doubles, double, MPI_DOUBLE)

// The library's functions begin with mpi_ and nm_: these names are free.
long fold(long value) { return value + 1; }
long exchange(long value) { return fold(value) + 1; }
long take(long value) { return exchange(value) + 1; }
long finish(long value) { return take(value) + 1; }

int main(int argc, char **argv) {
  int level, before, inside, after;
  MPI_Initialized(&before);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
  MPI_Initialized(&inside);
  MPI_Finalized(&after);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  tell("state", 100 * before + 10 * inside + after + (level == MPI_THREAD_SINGLE));
  tell("own names", finish(rank));
  any_and_some();
  late_message();
  probes();
  synchronous();
  rows_and_columns();
  ints();
  longs();
  unsigneds();
  unsigned_longs();
  floats();
  doubles();
  MPI_Finalize();
  MPI_Finalized(&after);
  return after ? 0 : 1;
}
