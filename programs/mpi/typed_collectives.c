// SPDX-License-Identifier: Apache-2.0
// Collectives of derived datatypes: elements travel as consecutive bytes. A rank without a derived datatype calls the plain function; both
// agree on bytes.

#include <stdlib.h>
#include <string.h>

#include "blocks.h"

static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static int own_rank(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int mpi_typed_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!mpi_is_derived(type)) return MPI_Bcast(data, count, type, root, comm);
  struct packed packed = mpi_packed(data, count, type, SITE);
  MPI_Bcast(packed.data, (int)packed.bytes, MPI_BYTE, root, comm);
  mpi_unpacked(packed, packed.bytes, data, type, SITE);
  return MPI_SUCCESS;
}

// What a rank sends: nothing in place.
static struct packed sent_by(const void *data, int count, MPI_Datatype type, long site) {
  if (data != MPI_IN_PLACE) return mpi_packed(data, count, type, site);
  return (struct packed){MPI_IN_PLACE, 0};
}

static void forget(struct packed sent) {
  if (sent.data != MPI_IN_PLACE) free(sent.data);
}

// To the root, whose own block stands in the packed ones where it is in place.
static int gather(const void *data, int send_count, MPI_Datatype send_type, const struct blocks *into, int root,
                  MPI_Comm comm, long site) {
  struct packed sent = sent_by(data, send_count, send_type, site);
  if (own_rank(comm) != root) {
    MPI_Gatherv(sent.data, (int)sent.bytes, MPI_BYTE, 0, 0, 0, MPI_BYTE, root, comm);
  } else {
    struct bytes all = mpi_bytes_packed(into, site);
    MPI_Gatherv(sent.data, (int)sent.bytes, MPI_BYTE, all.data, all.counts, all.places, MPI_BYTE, root, comm);
    mpi_bytes_unpack(all, into, site);
  }
  forget(sent);
  return MPI_SUCCESS;
}

static int scatter(const struct blocks *from, void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, long site) {
  int is_root = own_rank(comm) == root, is_in_place = data == MPI_IN_PLACE;
  struct packed own = is_in_place ? (struct packed){MPI_IN_PLACE, 0} : mpi_space(count, type, site);
  struct bytes all = {0};
  if (is_root) all = mpi_bytes_packed(from, site);
  MPI_Scatterv(all.data, all.counts, all.places, MPI_BYTE, own.data, (int)own.bytes, MPI_BYTE, root, comm);
  if (is_root) mpi_bytes_free(all);
  if (!is_in_place) mpi_unpacked(own, own.bytes, data, type, site);
  return MPI_SUCCESS;
}

// All ranks of a communicator call one function of the library, so all of these go by blocks of different lengths.
int mpi_typed_Gather(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                     int root, MPI_Comm comm) {
  struct blocks into = {0};
  if (own_rank(comm) == root) into = mpi_equal_blocks(buffer, count, type, size_of(comm), SITE);
  return gather(data, send_count, send_type, &into, root, comm, SITE);
}

int mpi_typed_Gatherv(const void *data, int send_count, MPI_Datatype send_type, void *buffer, const int *counts,
                      const int *places, MPI_Datatype type, int root, MPI_Comm comm) {
  struct blocks into = {0};
  if (own_rank(comm) == root) into = mpi_placed_blocks(buffer, counts, places, type, size_of(comm), SITE);
  return gather(data, send_count, send_type, &into, root, comm, SITE);
}

int mpi_typed_Scatter(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                      int root, MPI_Comm comm) {
  struct blocks from = {0};
  if (own_rank(comm) == root) from = mpi_equal_blocks(data, send_count, send_type, size_of(comm), SITE);
  return scatter(&from, buffer, count, type, root, comm, SITE);
}

int mpi_typed_Scatterv(const void *data, const int *counts, const int *places, MPI_Datatype send_type, void *buffer,
                       int count, MPI_Datatype type, int root, MPI_Comm comm) {
  struct blocks from = {0};
  if (own_rank(comm) == root) from = mpi_placed_blocks(data, counts, places, send_type, size_of(comm), SITE);
  return scatter(&from, buffer, count, type, root, comm, SITE);
}

int mpi_typed_Allgather(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count,
                        MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = mpi_equal_blocks(buffer, count, type, size_of(comm), SITE);
  struct packed sent = sent_by(data, send_count, send_type, SITE);
  struct bytes all = mpi_bytes_packed(&into, SITE);
  MPI_Allgather(sent.data, (int)sent.bytes, MPI_BYTE, all.data, all.counts[0], MPI_BYTE, comm);
  mpi_bytes_unpack(all, &into, SITE);
  forget(sent);
  return MPI_SUCCESS;
}

int mpi_typed_Allgatherv(const void *data, int send_count, MPI_Datatype send_type, void *buffer, const int *counts,
                         const int *places, MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = mpi_placed_blocks(buffer, counts, places, type, size_of(comm), SITE);
  struct packed sent = sent_by(data, send_count, send_type, SITE);
  struct bytes all = mpi_bytes_packed(&into, SITE);
  MPI_Allgatherv(sent.data, (int)sent.bytes, MPI_BYTE, all.data, all.counts, all.places, MPI_BYTE, comm);
  mpi_bytes_unpack(all, &into, SITE);
  forget(sent);
  return MPI_SUCCESS;
}

// In place the blocks that are received are those that are sent, too.
static int all_to_all(const struct blocks *from, const struct blocks *into, int is_equal, MPI_Comm comm, long site) {
  struct bytes sent = mpi_bytes_packed(from, site), all = mpi_bytes_space(into, site);
  if (is_equal)
    MPI_Alltoall(sent.data, sent.counts[0], MPI_BYTE, all.data, all.counts[0], MPI_BYTE, comm);
  else
    MPI_Alltoallv(sent.data, sent.counts, sent.places, MPI_BYTE, all.data, all.counts, all.places, MPI_BYTE, comm);
  mpi_bytes_free(sent);
  mpi_bytes_unpack(all, into, site);
  return MPI_SUCCESS;
}

int mpi_typed_Alltoall(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count,
                       MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = mpi_equal_blocks(buffer, count, type, size_of(comm), SITE);
  struct blocks from = data == MPI_IN_PLACE ? into : mpi_equal_blocks(data, send_count, send_type, size_of(comm), SITE);
  return all_to_all(&from, &into, 1, comm, SITE);
}

int mpi_typed_Alltoallv(const void *data, const int *send_counts, const int *send_places, MPI_Datatype send_type,
                        void *buffer, const int *counts, const int *places, MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = mpi_placed_blocks(buffer, counts, places, type, size_of(comm), SITE);
  struct blocks from = data == MPI_IN_PLACE ? into : mpi_placed_blocks(data, send_counts, send_places, send_type, size_of(comm), SITE);
  return all_to_all(&from, &into, 0, comm, SITE);
}

// Elements of a derived datatype are combined where they are, gaps included.
static struct fold spanning(int count, MPI_Datatype type, MPI_Op op, long site) {
  if (op <= MPI_MAXLOC) mpi_refuse(MPI_NO_OPERATOR, site);
  return (struct fold){count, mpi_span_of(count, type, site), type, op};
}

int mpi_typed_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (!mpi_is_derived(type)) return MPI_Reduce(data, result, count, type, op, root, comm);
  struct group in = mpi_group_of(comm, SITE);
  struct fold of = spanning(count, type, op, SITE);
  char *sum = mpi_space_for(of.bytes, SITE);
  memcpy(sum, data == MPI_IN_PLACE ? result : data, (size_t)of.bytes);
  mpi_collective(&in, FUNCTION_REDUCE | FOLD_OTHER << 8 | ELEMENT_OTHER << 16, sum, of.bytes, result, root);
  mpi_gather_sum(&in, sum, &of, root);
  if (in.rank == root) memcpy(result, sum, (size_t)of.bytes);
  free(sum);
  return MPI_SUCCESS;
}

int mpi_typed_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (!mpi_is_derived(type)) return MPI_Allreduce(data, result, count, type, op, comm);
  mpi_typed_Reduce(data == MPI_IN_PLACE ? result : data, result, count, type, op, 0, comm);
  return MPI_Bcast(result, (int)mpi_span_of(count, type, SITE), MPI_BYTE, 0, comm);
}
