// SPDX-License-Identifier: Apache-2.0
// What the files of `mpi` ask of messages.

#include "calls.h"

int mpi_member(MPI_Comm comm, int rank, long site);
int mpi_member(MPI_Comm comm, int rank, long site) {
  return (int)call(CALL_MEMBER, mpi_comm_number(comm, site), rank, 0, 0, 0, 0, site);
}

// Where there are no derived datatypes.
__attribute__((weak)) long mpi_span_of(long count, MPI_Datatype type, long site) { return mpi_bytes_of(count, type, site); }
