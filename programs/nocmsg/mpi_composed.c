// SPDX-License-Identifier: Apache-2.0
// Collectives of MPI that the message library does not do, composed of messages: those of communicators that are not of all ranks, and
// the others of mpi.h. Their text is that of MPI over calls; here is what it asks of messages.

#include <stdlib.h>

#define COMPOSED_ALWAYS
#include "mpi_composed.h"
#include "mpi_parts.h"

// Those that mpi_collectives.c has, too, which calls these for other communicators.
#define MPI_Barrier mpi_composed_Barrier
#define MPI_Bcast mpi_composed_Bcast
#define MPI_Reduce mpi_composed_Reduce
#define MPI_Allreduce mpi_composed_Allreduce
#define MPI_Gather mpi_composed_Gather
#define MPI_Gatherv mpi_composed_Gatherv
#define MPI_Scatter mpi_composed_Scatter
#define MPI_Scatterv mpi_composed_Scatterv
#define MPI_Allgather mpi_composed_Allgather
#define MPI_Allgatherv mpi_composed_Allgatherv
#define MPI_Alltoall mpi_composed_Alltoall
#define MPI_Alltoallv mpi_composed_Alltoallv

#include "../calls/collectives.c"
#include "../calls/blocks.c"

_Noreturn void mpi_refuse(const char *text, long site) {
  (void)site;
  mpi_wrong(text);
}

long mpi_comm_number(MPI_Comm comm, long site) {
  (void)site;
  return comm;
}

long mpi_comm_members(long comm, long site) {
  (void)site;
  int rank, size;
  MPI_Comm_rank((MPI_Comm)comm, &rank);
  MPI_Comm_size((MPI_Comm)comm, &size);
  return rank | (long)size << 32;
}

long mpi_bytes_of(long count, MPI_Datatype type, long site) {
  (void)site;
  return (long)mpi_bytes((int)count, type);
}

// Nobody else carries it out.
long mpi_reduction(long function, MPI_Op op, MPI_Datatype type) {
  (void)op;
  (void)type;
  return function;
}

void mpi_combine(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site) {
  (void)site;
  if (count > 0) mpi_fold_of(type, op)(into, from, (size_t)count);
}

// A send is over when it returns.
int mpi_begin_send(const void *data, long bytes, long to, long tag, long comm, long site) {
  (void)site;
  int world = mpi_world_rank((MPI_Comm)comm, (int)to, "a collective with a root that there is not");
  mpi_send_bytes(world, (uint32_t)tag, mpi_context((MPI_Comm)comm) | MPI_INNER, data, (size_t)bytes);
  return MPI_SENT;
}

int mpi_begin_receive(void *data, long bytes, long from, long tag, long comm, long site) {
  (void)site;
  MPI_Request request = mpi_unused_request();
  int world = mpi_world_rank((MPI_Comm)comm, (int)from, "a collective with a root that there is not");
  mpi_await(mpi_receive_of(request), data, (size_t)bytes, world, (int)tag, mpi_context((MPI_Comm)comm) | MPI_INNER);
  return request;
}

void mpi_finish(int request, long site) {
  (void)site;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
