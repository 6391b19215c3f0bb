// SPDX-License-Identifier: Apache-2.0
// MPI over calls: collectives of a block per rank, of equal lengths or not.

#include <stdlib.h>
#include <string.h>

#include "composed.h"

// Blocks of a buffer: all of one length, or each with a length and a place of its own, in elements.
struct blocks {
  char *first;
  const int *counts, *places;
  long count, element_bytes;
};

static struct blocks equal(const void *first, long count, MPI_Datatype type, long site) {
  return (struct blocks){(char *)first, 0, 0, count, mpi_bytes_of(1, type, site)};
}

static struct blocks placed(const void *first, const int *counts, const int *places, MPI_Datatype type, long site) {
  return (struct blocks){(char *)first, counts, places, 0, mpi_bytes_of(1, type, site)};
}

static long length(const struct blocks *of, long rank) {
  return (of->counts ? of->counts[rank] : of->count) * of->element_bytes;
}

static char *block(const struct blocks *of, long rank) {
  return of->first + (of->places ? of->places[rank] : rank * of->count) * of->element_bytes;
}

// As much as both have.
static void copy(const struct group *in, char *to, long buffer, const char *from, long bytes) {
  if (bytes > buffer) mpi_refuse("a block that is longer than its buffer", in->site);
  if (bytes > 0 && to != from) memmove(to, from, (size_t)bytes);
}

// Every rank's block straight to the root, which has `into`.
static void collect(const struct group *in, const void *own, long bytes, const struct blocks *into, long root) {
  if (in->rank != root) {
    mpi_give(in, own, bytes, root);
    return;
  }
  int *requests = mpi_space_for(in->size * (long)sizeof *requests, in->site);
  for (long rank = 0; rank < in->size; rank++)
    if (rank != root)
      requests[rank] = mpi_begin_receive(block(into, rank), length(into, rank), rank, INNER_TAG, in->comm, in->site);
  if (own != MPI_IN_PLACE) copy(in, block(into, root), length(into, root), own, bytes);
  for (long rank = 0; rank < in->size; rank++)
    if (rank != root) mpi_finish(requests[rank], in->site);
  free(requests);
}

// May a rank give no buffer of its own, since its block stands in the root's?
static void check_in_place(const void *data, int is_root, long site) {
  if (data == MPI_IN_PLACE && !is_root) mpi_refuse("MPI_IN_PLACE: accepted at the root only", site);
}

// A block of the root's for each rank, straight from it.
static void deal(const struct group *in, const struct blocks *from, void *own, long bytes, long root) {
  if (in->rank != root) {
    mpi_take(in, own, bytes, root);
    return;
  }
  int *requests = mpi_space_for(in->size * (long)sizeof *requests, in->site);
  for (long rank = 0; rank < in->size; rank++)
    if (rank != root)
      requests[rank] = mpi_begin_send(block(from, rank), length(from, rank), rank, INNER_TAG, in->comm, in->site);
  if (own != MPI_IN_PLACE) copy(in, own, bytes, block(from, root), length(from, root));
  for (long rank = 0; rank < in->size; rank++)
    if (rank != root) mpi_finish(requests[rank], in->site);
  free(requests);
}

// All blocks around the ring; the own one is in its place.
static void circulate(const struct group *in, const struct blocks *all) {
  long to = (in->rank + 1) % in->size, from = (in->rank + in->size - 1) % in->size;
  for (long step = 0; step + 1 < in->size; step++) {
    long sent = (in->rank + in->size - step) % in->size, came = (sent + in->size - 1) % in->size;
    mpi_exchange(in, block(all, sent), length(all, sent), to, block(all, came), length(all, came), from);
  }
}

// By pairs.
static void swap_all(const struct group *in, const struct blocks *data, const struct blocks *buffer) {
  copy(in, block(buffer, in->rank), length(buffer, in->rank), block(data, in->rank), length(data, in->rank));
  for (long step = 1; step < in->size; step++) {
    long to = (in->rank + step) % in->size, from = (in->rank + in->size - step) % in->size;
    mpi_exchange(in, block(data, to), length(data, to), to, block(buffer, from), length(buffer, from), from);
  }
}

// What is sent out of the buffer that it comes to: a copy, up to the end of the last block.
static char *copied(const struct group *in, const struct blocks *buffer) {
  long end = 0;
  for (long rank = 0; rank < in->size; rank++) {
    long block_end = block(buffer, rank) - buffer->first + length(buffer, rank);
    if (block_end > end) end = block_end;
  }
  char *copy = mpi_space_for(end, in->site);
  memcpy(copy, buffer->first, (size_t)end);
  return copy;
}

int MPI_Gather(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
               int root, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  int is_root = in.rank == root, in_place = is_root && data == MPI_IN_PLACE;
  check_in_place(data, is_root, SITE);
  long bytes = in_place ? mpi_bytes_of(count, type, SITE) : mpi_bytes_of(send_count, send_type, SITE);
  struct blocks into = is_root ? equal(buffer, count, type, SITE) : (struct blocks){0};
  mpi_collective(&in, FUNCTION_GATHER, 0, bytes, 0, root);
  collect(&in, data, bytes, &into, root);
  return MPI_SUCCESS;
}

int MPI_Gatherv(const void *data, int send_count, MPI_Datatype send_type, void *buffer, const int *counts,
                const int *places, MPI_Datatype type, int root, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  int is_root = in.rank == root, in_place = is_root && data == MPI_IN_PLACE;
  check_in_place(data, is_root, SITE);
  struct blocks into = is_root ? placed(buffer, counts, places, type, SITE) : (struct blocks){0};
  mpi_collective(&in, FUNCTION_GATHERV, 0, 0, 0, root);
  collect(&in, data, in_place ? 0 : mpi_bytes_of(send_count, send_type, SITE), &into, root);
  return MPI_SUCCESS;
}

int MPI_Scatter(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                int root, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  int is_root = in.rank == root, in_place = is_root && buffer == MPI_IN_PLACE;
  check_in_place(buffer, is_root, SITE);
  long bytes = in_place ? mpi_bytes_of(send_count, send_type, SITE) : mpi_bytes_of(count, type, SITE);
  struct blocks from = is_root ? equal(data, send_count, send_type, SITE) : (struct blocks){0};
  mpi_collective(&in, FUNCTION_SCATTER, 0, bytes, 0, root);
  deal(&in, &from, buffer, bytes, root);
  return MPI_SUCCESS;
}

int MPI_Scatterv(const void *data, const int *counts, const int *places, MPI_Datatype send_type, void *buffer, int count,
                 MPI_Datatype type, int root, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  int is_root = in.rank == root, in_place = is_root && buffer == MPI_IN_PLACE;
  check_in_place(buffer, is_root, SITE);
  struct blocks from = is_root ? placed(data, counts, places, send_type, SITE) : (struct blocks){0};
  mpi_collective(&in, FUNCTION_SCATTERV, 0, 0, 0, root);
  deal(&in, &from, buffer, in_place ? 0 : mpi_bytes_of(count, type, SITE), root);
  return MPI_SUCCESS;
}

int MPI_Allgather(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                  MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct blocks all = equal(buffer, count, type, SITE);
  char *own = block(&all, in.rank);
  long bytes = data == MPI_IN_PLACE ? mpi_bytes_of(count, type, SITE) : mpi_bytes_of(send_count, send_type, SITE);
  if (data != MPI_IN_PLACE && bytes != mpi_bytes_of(count, type, SITE))
    mpi_refuse("MPI_Allgather that sends another length than it receives", SITE);
  if (!mpi_collective(&in, FUNCTION_ALLGATHER, data == MPI_IN_PLACE ? own : data, bytes, buffer, 0)) return MPI_SUCCESS;
  if (data != MPI_IN_PLACE) copy(&in, own, bytes, data, bytes);
  circulate(&in, &all);
  return MPI_SUCCESS;
}

int MPI_Allgatherv(const void *data, int send_count, MPI_Datatype send_type, void *buffer, const int *counts,
                   const int *places, MPI_Datatype type, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct blocks all = placed(buffer, counts, places, type, SITE);
  mpi_collective(&in, FUNCTION_ALLGATHERV, 0, 0, 0, 0);
  if (data != MPI_IN_PLACE)
    copy(&in, block(&all, in.rank), length(&all, in.rank), data, mpi_bytes_of(send_count, send_type, SITE));
  circulate(&in, &all);
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                 MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct blocks into = equal(buffer, count, type, SITE);
  int in_place = data == MPI_IN_PLACE;
  struct blocks from = in_place ? into : equal(data, send_count, send_type, SITE);
  long bytes = length(&from, 0);
  if (bytes != length(&into, 0)) mpi_refuse("MPI_Alltoall that sends another length than it receives", SITE);
  if (!mpi_collective(&in, FUNCTION_ALLTOALL, from.first, bytes * in.size, buffer, 0)) return MPI_SUCCESS;
  if (in_place) from.first = copied(&in, &into);
  swap_all(&in, &from, &into);
  if (in_place) free(from.first);
  return MPI_SUCCESS;
}

int MPI_Alltoallv(const void *data, const int *send_counts, const int *send_places, MPI_Datatype send_type, void *buffer,
                  const int *counts, const int *places, MPI_Datatype type, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  struct blocks into = placed(buffer, counts, places, type, SITE);
  int in_place = data == MPI_IN_PLACE;
  struct blocks from = in_place ? into : placed(data, send_counts, send_places, send_type, SITE);
  mpi_collective(&in, FUNCTION_ALLTOALLV, 0, 0, 0, 0);
  if (in_place) from.first = copied(&in, &into);
  swap_all(&in, &from, &into);
  if (in_place) free(from.first);
  return MPI_SUCCESS;
}

// The sum of all blocks at rank 0, then a block to each rank.
static void fold_and_deal(const struct group *in, const void *own, void *buffer, const struct fold *of,
                          const struct blocks *parts) {
  char *sum = mpi_space_for(of->bytes, in->site);
  memcpy(sum, own, (size_t)of->bytes);
  mpi_gather_sum(in, sum, of, 0);
  struct blocks from = *parts;
  from.first = sum;
  deal(in, &from, buffer, length(&from, in->rank), 0);
  free(sum);
}

int MPI_Reduce_scatter_block(const void *data, void *buffer, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  const void *own = data == MPI_IN_PLACE ? buffer : data;
  struct fold of = mpi_folded((long)count * in.size, type, op, SITE);
  struct blocks parts = equal(0, count, type, SITE);
  long what = mpi_reduction(FUNCTION_REDUCE_SCATTER_BLOCK, op, type);
  if (mpi_collective(&in, what, own, of.bytes, buffer, 0)) fold_and_deal(&in, own, buffer, &of, &parts);
  return MPI_SUCCESS;
}

int MPI_Reduce_scatter(const void *data, void *buffer, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct group in = mpi_group_of(comm, SITE);
  long all = 0;
  int *places = mpi_space_for(in.size * (long)sizeof *places, SITE);
  for (long rank = 0; rank < in.size; rank++) {
    places[rank] = (int)all;
    all += counts[rank];
  }
  struct fold of = mpi_folded(all, type, op, SITE);
  struct blocks parts = placed(0, counts, places, type, SITE);
  mpi_collective(&in, mpi_reduction(FUNCTION_REDUCE_SCATTER, op, type), 0, of.bytes, 0, 0);
  fold_and_deal(&in, data == MPI_IN_PLACE ? buffer : data, buffer, &of, &parts);
  free(places);
  return MPI_SUCCESS;
}
