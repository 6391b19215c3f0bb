// SPDX-License-Identifier: Apache-2.0
// Inside the library: how collectives are composed of messages.
#ifndef NOCCL_CALLS_COMPOSED_H
#define NOCCL_CALLS_COMPOSED_H

#include "calls.h"

// The communicator of a collective, and where it was called.
struct group {
  long comm, rank, size, site;
};

struct group group_of(MPI_Comm comm, long site);

// Calls it; 1 if it has to be composed.
long collective(const struct group *in, long what, const void *data, long bytes, void *buffer, long root);

void *space_for(long bytes, long site);

void give(const struct group *in, const void *data, long bytes, long to);
void take(const struct group *in, void *buffer, long bytes, long from);
void exchange(const struct group *in, const void *data, long bytes, long to, void *buffer, long buffer_bytes, long from);

// What is folded.
struct fold {
  long count, bytes;
  MPI_Datatype type;
  MPI_Op op;
};

struct fold folded(long count, MPI_Datatype type, MPI_Op op, long site);
// Reduction over a binomial tree to rank 0, then to the root, whose `sum` is the result. Everybody's is overwritten.
void gather_sum(const struct group *in, char *sum, const struct fold *of, long root);

#endif
