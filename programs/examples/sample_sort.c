// SPDX-License-Identifier: Apache-2.0
// Sorting by samples: every rank sorts its keys, all agree on bounds, keys go to the rank of their bound, which sorts again.
// Every rank checks its keys, and that neither their number nor their sum has changed.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef KEYS
#define KEYS 1024
#endif
#define MOST 256

static int compare(const void *a, const void *b) {
  int left = *(const int *)a, right = *(const int *)b;
  return (left > right) - (left < right);
}

// Keys of a rank: a linear congruence, other ones for each rank.
static void draw(int *keys, int rank) {
  unsigned state = 12345u + 977u * (unsigned)rank;
  for (int i = 0; i < KEYS; i++) {
    state = state * 1664525u + 1013904223u;
    keys[i] = (int)(state >> 8);
  }
}

static long sum_of(const int *keys, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += keys[i];
  return sum;
}

// Where the keys of each rank begin in sorted keys, and how many they are.
static void split(const int *keys, const int *bounds, int ranks, int *counts, int *starts) {
  int at = 0;
  for (int to = 0; to < ranks; to++) {
    starts[to] = at;
    while (at < KEYS && (to == ranks - 1 || keys[at] < bounds[to])) at++;
    counts[to] = at - starts[to];
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  static int keys[KEYS], samples[MOST], all[MOST * MOST], bounds[MOST];
  static int counts[MOST], starts[MOST], from_counts[MOST], from_starts[MOST];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > MOST || KEYS < ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  draw(keys, rank);
  long before[2] = {KEYS, sum_of(keys, KEYS)}, all_before[2], after[2], all_after[2];
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  qsort(keys, KEYS, sizeof *keys, compare);
  for (int i = 0; i < ranks; i++) samples[i] = keys[KEYS / ranks * i];
  MPI_Allgather(samples, ranks, MPI_INT, all, ranks, MPI_INT, MPI_COMM_WORLD);
  qsort(all, (size_t)(ranks * ranks), sizeof *all, compare);
  for (int to = 0; to + 1 < ranks; to++) bounds[to] = all[(to + 1) * ranks];
  split(keys, bounds, ranks, counts, starts);
  MPI_Alltoall(counts, 1, MPI_INT, from_counts, 1, MPI_INT, MPI_COMM_WORLD);
  int own = 0;
  for (int from = 0; from < ranks; from++) {
    from_starts[from] = own;
    own += from_counts[from];
  }
  int *sorted = malloc(sizeof *sorted * (size_t)(own + 1));
  if (!sorted) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Alltoallv(keys, counts, starts, MPI_INT, sorted, from_counts, from_starts, MPI_INT, MPI_COMM_WORLD);
  qsort(sorted, (size_t)own, sizeof *sorted, compare);
  double seconds = MPI_Wtime() - begin, longest;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int is_wrong = 0;
  for (int i = 0; i < own; i++) {
    is_wrong |= i > 0 && sorted[i - 1] > sorted[i];
    is_wrong |= rank > 0 && sorted[i] < bounds[rank - 1];
    is_wrong |= rank + 1 < ranks && sorted[i] >= bounds[rank];
  }
  after[0] = own;
  after[1] = sum_of(sorted, own);
  MPI_Allreduce(before, all_before, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(after, all_after, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  is_wrong |= all_before[0] != all_after[0] || all_before[1] != all_after[1];
  int any_wrong;
  MPI_Allreduce(&is_wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("sample_sort %s, %.3f us\n", any_wrong ? "wrong" : "ok", longest * 1e6);
  MPI_Finalize();
  return any_wrong;
}
