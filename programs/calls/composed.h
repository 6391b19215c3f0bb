// SPDX-License-Identifier: Apache-2.0
// Inside the library: how collectives are composed of messages.
#ifndef NOCCL_CALLS_COMPOSED_H
#define NOCCL_CALLS_COMPOSED_H

#include "calls.h"

// The communicator of a collective, and where it was called.
struct group {
  long comm, rank, size, site;
};

struct group mpi_group_of(MPI_Comm comm, long site);

// Calls it; 1 if it has to be composed.
long mpi_collective(const struct group *in, long what, const void *data, long bytes, void *buffer, long root);

void *mpi_space_for(long bytes, long site);

void mpi_give(const struct group *in, const void *data, long bytes, long to);
void mpi_take(const struct group *in, void *buffer, long bytes, long from);
void mpi_exchange(const struct group *in, const void *data, long bytes, long to, void *buffer, long buffer_bytes, long from);

// What is folded.
struct fold {
  long count, bytes;
  MPI_Datatype type;
  MPI_Op op;
};

struct fold mpi_folded(long count, MPI_Datatype type, MPI_Op op, long site);
// Reduction over a binomial tree to rank 0, then to the root, whose `sum` is the result. Everybody's is overwritten.
void mpi_gather_sum(const struct group *in, char *sum, const struct fold *of, long root);

#endif
