// SPDX-License-Identifier: Apache-2.0
// What programs of MPI's surface print: numbers of all ranks, a line for each.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void show(const char *name, const int *numbers, int count) {
  int *all = malloc((size_t)(size * count) * sizeof *all);
  MPI_Gather(numbers, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size * count; i++)
    printf("%s%d%s", i % count ? " " : name, all[i], i % count == count - 1 ? "\n" : "");
  free(all);
}
