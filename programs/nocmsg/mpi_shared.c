// SPDX-License-Identifier: Apache-2.0
// What the files of `mpi` ask of messages; mpi_refuse is in mpi_composed.c.

#include "mpi_parts.h"

int mpi_member(MPI_Comm comm, int rank, long site);
int mpi_member(MPI_Comm comm, int rank, long site) {
  (void)site;
  return mpi_world_rank(comm, rank, "a rank that the communicator does not have");
}
