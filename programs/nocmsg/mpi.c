// SPDX-License-Identifier: Apache-2.0
// MPI over the message library: beginning and end, ranks, time, types.

#include <stdio.h>
#include <stdlib.h>

#include "mpi_parts.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"

#define CLOCK_HZ 700e6

size_t mpi_bytes(int count, MPI_Datatype type) {
  static const size_t sizes[] = {1, 1, 4, 8, 4, 4, 8, 8, 2, 2, 1, 1, 1, 1, 16, 8, 16, 8, 16, 16, 8, 8};
  return (size_t)count * sizes[type];
}

void mpi_wrong(const char *what) {
  printf("rank %d: %s\n", nm_rank(), what);
  abort();
}

int MPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  nm_init();
  return MPI_SUCCESS;
}

int mpi_thread_level;

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  *provided = mpi_thread_level = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
  return MPI_Init(argc, argv);
}

int MPI_Initialized(int *flag) {
  *flag = nm_here.tiles != 0;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  nm_barrier();
  nm_here.is_over = 1;
  nm_print_counts();
  return MPI_SUCCESS;
}

int MPI_Finalized(int *flag) {
  *flag = nm_here.is_over;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  exit(code);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  *rank = mpi_is_world(comm) ? nm_rank() : mpi_own_rank_among(comm);
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  *size = mpi_is_world(comm) ? nm_ranks() : mpi_size_among(comm);
  return MPI_SUCCESS;
}

int mpi_size_of_world(MPI_Comm comm, int *size) {
  *size = mpi_is_world(comm) ? nm_ranks() : 0;
  return MPI_SUCCESS;
}

double MPI_Wtime(void) { return (double)noccl_cycle() / CLOCK_HZ; }

double MPI_Wtick(void) { return 1 / CLOCK_HZ; }

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  *count = (int)(status->count_bytes / mpi_bytes(1, type));
  return MPI_SUCCESS;
}
