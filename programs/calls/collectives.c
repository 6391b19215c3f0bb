// SPDX-License-Identifier: Apache-2.0
// MPI over calls: collectives. What the network's algorithms do not do is composed of messages: trees are binomial, exchanges
// go around a ring or by pairs. Reductions combine neighbouring ranges of ranks, the lower one left, as
// python/noccl/programs/composed.py.

#include <stdlib.h>
#include <string.h>

#include "composed.h"

struct group mpi_group_of(MPI_Comm comm, long site) {
  long number = mpi_comm_number(comm, site);
  long both = mpi_comm_members(number, site);
  return (struct group){number, both & 0xffffffff, both >> 32, site};
}

long mpi_collective(const struct group *in, long what, const void *data, long bytes, void *buffer, long root) {
#ifdef COMPOSED_ALWAYS
  (void)in, (void)what, (void)data, (void)bytes, (void)buffer, (void)root;
  return 1;
#else
  return call(CALL_COLLECTIVE, what, (long)data, bytes, (long)buffer, in->comm, root, in->site);
#endif
}

void *mpi_space_for(long bytes, long site) {
  void *buffer = malloc((size_t)bytes + 1);
  if (!buffer) mpi_refuse("no memory for the parts of a collective", site);
  return buffer;
}

void mpi_give(const struct group *in, const void *data, long bytes, long to) {
  mpi_finish(mpi_begin_send(data, bytes, to, INNER_TAG, in->comm, in->site), in->site);
}

void mpi_take(const struct group *in, void *buffer, long bytes, long from) {
  mpi_finish(mpi_begin_receive(buffer, bytes, from, INNER_TAG, in->comm, in->site), in->site);
}

void mpi_exchange(const struct group *in, const void *data, long bytes, long to, void *buffer, long buffer_bytes, long from) {
  int request = mpi_begin_receive(buffer, buffer_bytes, from, INNER_TAG, in->comm, in->site);
  mpi_give(in, data, bytes, to);
  mpi_finish(request, in->site);
}

// Broadcast over a binomial tree.
static void spread(const struct group *in, void *data, long bytes, long root) {
  long own = (in->rank - root + in->size) % in->size, step = 1;
  while (step < in->size && !(own & step)) step <<= 1;
  if (own) mpi_take(in, data, bytes, (own - step + root) % in->size);
  for (step >>= 1; step; step >>= 1)
    if (own + step < in->size) mpi_give(in, data, bytes, (own + step + root) % in->size);
}

struct fold mpi_folded(long count, MPI_Datatype type, MPI_Op op, long site) {
  return (struct fold){count, mpi_bytes_of(count, type, site), type, op};
}

void mpi_gather_sum(const struct group *in, char *sum, const struct fold *of, long root) {
  char *came = mpi_space_for(of->bytes, in->site);
  for (long step = 1; step < in->size; step <<= 1) {
    if (in->rank & step) {
      mpi_give(in, sum, of->bytes, in->rank - step);
      break;
    }
    if (in->rank + step < in->size) {
      mpi_take(in, came, of->bytes, in->rank + step);
      mpi_combine(sum, came, of->count, of->type, of->op, in->site);
    }
  }
  free(came);
  if (root == 0) return;
  if (in->rank == 0) mpi_give(in, sum, of->bytes, root);
  if (in->rank == root) mpi_take(in, sum, of->bytes, 0);
}

int MPI_Barrier(MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  if (!mpi_collective(&in, FUNCTION_BARRIER, 0, 0, 0, 0)) return MPI_SUCCESS;
  struct fold nothing = {0, 0, MPI_BYTE, MPI_SUM};
  mpi_gather_sum(&in, 0, &nothing, 0);
  spread(&in, 0, 0, 0);
  return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  long bytes = mpi_bytes_of(count, type, SITE);
  if (mpi_collective(&in, FUNCTION_BCAST, data, bytes, data, root)) spread(&in, data, bytes, root);
  return MPI_SUCCESS;
}

int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct fold of = mpi_folded(count, type, op, SITE);
  if (data == MPI_IN_PLACE && in.rank != root) mpi_refuse("MPI_IN_PLACE: accepted at the root only", SITE);
  const void *own = data == MPI_IN_PLACE ? result : data;
  if (!mpi_collective(&in, mpi_reduction(FUNCTION_REDUCE, op, type), own, of.bytes, result, root)) return MPI_SUCCESS;
  char *sum = mpi_space_for(of.bytes, SITE);
  memcpy(sum, own, (size_t)of.bytes);
  mpi_gather_sum(&in, sum, &of, root);
  if (in.rank == root) memcpy(result, sum, (size_t)of.bytes);
  free(sum);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct fold of = mpi_folded(count, type, op, SITE);
  const void *own = data == MPI_IN_PLACE ? result : data;
  if (!mpi_collective(&in, mpi_reduction(FUNCTION_ALLREDUCE, op, type), own, of.bytes, result, 0)) return MPI_SUCCESS;
  if (own != result) memcpy(result, own, (size_t)of.bytes);
  mpi_gather_sum(&in, result, &of, 0);
  spread(&in, result, of.bytes, 0);
  return MPI_SUCCESS;
}

// Prefix reduction by recursive doubling.
static void prefix(const struct group *in, const void *own, char *result, const struct fold *of, int is_exclusive) {
  char *partial = mpi_space_for(of->bytes, in->site), *came = mpi_space_for(of->bytes, in->site);
  int has_result = !is_exclusive;
  memcpy(partial, own, (size_t)of->bytes);
  if (has_result && own != result) memcpy(result, own, (size_t)of->bytes);
  for (long step = 1; step < in->size; step <<= 1) {
    long other = in->rank ^ step;
    if (other >= in->size) continue;
    mpi_exchange(in, partial, of->bytes, other, came, of->bytes, other);
    if (in->rank < other) {
      mpi_combine(partial, came, of->count, of->type, of->op, in->site);
      continue;
    }
    if (has_result) {
      // came op result, the lower ranks left.
      char *left = mpi_space_for(of->bytes, in->site);
      memcpy(left, came, (size_t)of->bytes);
      mpi_combine(left, result, of->count, of->type, of->op, in->site);
      memcpy(result, left, (size_t)of->bytes);
      free(left);
    } else {
      memcpy(result, came, (size_t)of->bytes);
    }
    has_result = 1;
    mpi_combine(came, partial, of->count, of->type, of->op, in->site);
    memcpy(partial, came, (size_t)of->bytes);
  }
  free(partial);
  free(came);
}

int MPI_Scan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct fold of = mpi_folded(count, type, op, SITE);
  mpi_collective(&in, mpi_reduction(FUNCTION_SCAN, op, type), 0, of.bytes, 0, 0);
  prefix(&in, data == MPI_IN_PLACE ? result : data, result, &of, 0);
  return MPI_SUCCESS;
}

int MPI_Exscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct fold of = mpi_folded(count, type, op, SITE);
  mpi_collective(&in, mpi_reduction(FUNCTION_EXSCAN, op, type), 0, of.bytes, 0, 0);
  prefix(&in, data == MPI_IN_PLACE ? result : data, result, &of, 1);
  return MPI_SUCCESS;
}
