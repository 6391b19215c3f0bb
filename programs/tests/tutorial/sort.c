// SPDX-License-Identifier: Apache-2.0
// Odd-even sort: neighbours exchange their numbers, and keep the smaller or the larger half.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

int main(int argc, char *argv[]) {
  int rank, size, n = argc > 1 ? atoi(argv[1]) : 50;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  size_t bytes = (size_t)n * sizeof(int);
  int *both = malloc(2 * bytes), *all = malloc(bytes * (size_t)size);
  unsigned state = 12345u + (unsigned)rank;
  for (int i = 0; i < n; i++) both[i] = (int)((state = state * 1103515245u + 12345u) >> 8) % 10000;
  qsort(both, (size_t)n, sizeof(int), compare);
  for (int phase = 0; phase < size; phase++) {
    int is_lower = (phase + rank) % 2 == 0, partner = is_lower ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= size) partner = MPI_PROC_NULL;
    MPI_Status status;
    MPI_Sendrecv(both, n, MPI_INT, partner, phase, both + n, n, MPI_INT, partner, phase, MPI_COMM_WORLD, &status);
    if (partner == MPI_PROC_NULL) continue;
    qsort(both, 2 * (size_t)n, sizeof(int), compare);
    if (!is_lower) memmove(both, both + n, bytes);
  }
  MPI_Gather(both, n, MPI_INT, all, n, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    long sum = 0;
    int sorted = 1;
    for (int i = 0; i < n * size; i++) {
      sum += (long)(i + 1) * all[i];
      if (i > 0) sorted &= all[i - 1] <= all[i];
    }
    printf("%d numbers, sorted %d, from %d to %d, sum %ld\n", n * size, sorted, all[0], all[n * size - 1], sum);
  }
  free(both);
  free(all);
  MPI_Finalize();
  return 0;
}
