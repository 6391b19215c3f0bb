// SPDX-License-Identifier: Apache-2.0
// Collectives of derived datatypes: elements travel as consecutive bytes. A rank without a derived datatype calls the plain function; both
// agree on bytes.

#include <stdlib.h>
#include <string.h>

#include "../calls/composed.h"
#include "types.h"

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

// Blocks of a buffer: counts and places in elements. Packed they are one behind the other.
struct blocks {
  char *data;
  const int *counts, *places;
  int count, num_blocks;
  struct layout layout;
};

static struct blocks equal(const void *data, int count, MPI_Datatype type, int num_blocks, long site) {
  return (struct blocks){(char *)data, 0, 0, count, num_blocks, mpi_layout(type, site)};
}

static struct blocks placed(const void *data, const int *counts, const int *places, MPI_Datatype type, int num_blocks,
                            long site) {
  return (struct blocks){(char *)data, counts, places, 0, num_blocks, mpi_layout(type, site)};
}

static long count_of(const struct blocks *of, int block) { return of->counts ? of->counts[block] : of->count; }

static char *at(const struct blocks *of, int block) {
  long place = of->places ? of->places[block] : (long)block * of->count;
  return of->data + place * mpi_extent(&of->layout);
}

// The same blocks packed: a buffer, and counts and places in bytes.
struct bytes {
  char *data;
  int *counts, *places;
};

static struct bytes space_for(const struct blocks *of, long site) {
  int *counts = malloc(2 * (size_t)of->num_blocks * sizeof *counts + 1), *places = counts + of->num_blocks;
  if (!counts) mpi_refuse("no memory for the blocks of a collective", site);
  long all = 0;
  for (int i = 0; i < of->num_blocks; i++) {
    places[i] = (int)all;
    counts[i] = (int)(count_of(of, i) * of->layout.bytes);
    all += counts[i];
  }
  char *data = malloc((size_t)all + 1);
  if (!data) mpi_refuse("no memory for the blocks of a collective", site);
  return (struct bytes){data, counts, places};
}

static struct bytes pack_all(const struct blocks *of, long site) {
  struct bytes made = space_for(of, site);
  for (int i = 0; i < of->num_blocks; i++) mpi_pack(made.data + made.places[i], at(of, i), count_of(of, i), &of->layout);
  return made;
}

static void give_back(struct bytes bytes) {
  free(bytes.data);
  free(bytes.counts);
}

static void unpack_all(struct bytes from, const struct blocks *of) {
  for (int i = 0; i < of->num_blocks; i++) mpi_unpack(at(of, i), from.data + from.places[i], from.counts[i], &of->layout);
  give_back(from);
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
    struct bytes all = pack_all(into, site);
    MPI_Gatherv(sent.data, (int)sent.bytes, MPI_BYTE, all.data, all.counts, all.places, MPI_BYTE, root, comm);
    unpack_all(all, into);
  }
  forget(sent);
  return MPI_SUCCESS;
}

static int scatter(const struct blocks *from, void *data, int count, MPI_Datatype type, int root, MPI_Comm comm, long site) {
  int is_root = own_rank(comm) == root, is_in_place = data == MPI_IN_PLACE;
  struct packed own = is_in_place ? (struct packed){MPI_IN_PLACE, 0} : mpi_space(count, type, site);
  struct bytes all = {0};
  if (is_root) all = pack_all(from, site);
  MPI_Scatterv(all.data, all.counts, all.places, MPI_BYTE, own.data, (int)own.bytes, MPI_BYTE, root, comm);
  if (is_root) give_back(all);
  if (!is_in_place) mpi_unpacked(own, own.bytes, data, type, site);
  return MPI_SUCCESS;
}

// All ranks of a communicator call one function of the library, so all of these go by blocks of different lengths.
int mpi_typed_Gather(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                     int root, MPI_Comm comm) {
  struct blocks into = {0};
  if (own_rank(comm) == root) into = equal(buffer, count, type, size_of(comm), SITE);
  return gather(data, send_count, send_type, &into, root, comm, SITE);
}

int mpi_typed_Gatherv(const void *data, int send_count, MPI_Datatype send_type, void *buffer, const int *counts,
                      const int *places, MPI_Datatype type, int root, MPI_Comm comm) {
  struct blocks into = {0};
  if (own_rank(comm) == root) into = placed(buffer, counts, places, type, size_of(comm), SITE);
  return gather(data, send_count, send_type, &into, root, comm, SITE);
}

int mpi_typed_Scatter(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count, MPI_Datatype type,
                      int root, MPI_Comm comm) {
  struct blocks from = {0};
  if (own_rank(comm) == root) from = equal(data, send_count, send_type, size_of(comm), SITE);
  return scatter(&from, buffer, count, type, root, comm, SITE);
}

int mpi_typed_Scatterv(const void *data, const int *counts, const int *places, MPI_Datatype send_type, void *buffer,
                       int count, MPI_Datatype type, int root, MPI_Comm comm) {
  struct blocks from = {0};
  if (own_rank(comm) == root) from = placed(data, counts, places, send_type, size_of(comm), SITE);
  return scatter(&from, buffer, count, type, root, comm, SITE);
}

int mpi_typed_Allgather(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count,
                        MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = equal(buffer, count, type, size_of(comm), SITE);
  struct packed sent = sent_by(data, send_count, send_type, SITE);
  struct bytes all = pack_all(&into, SITE);
  MPI_Allgather(sent.data, (int)sent.bytes, MPI_BYTE, all.data, all.counts[0], MPI_BYTE, comm);
  unpack_all(all, &into);
  forget(sent);
  return MPI_SUCCESS;
}

int mpi_typed_Allgatherv(const void *data, int send_count, MPI_Datatype send_type, void *buffer, const int *counts,
                         const int *places, MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = placed(buffer, counts, places, type, size_of(comm), SITE);
  struct packed sent = sent_by(data, send_count, send_type, SITE);
  struct bytes all = pack_all(&into, SITE);
  MPI_Allgatherv(sent.data, (int)sent.bytes, MPI_BYTE, all.data, all.counts, all.places, MPI_BYTE, comm);
  unpack_all(all, &into);
  forget(sent);
  return MPI_SUCCESS;
}

// In place the blocks that are received are those that are sent, too.
static int all_to_all(const struct blocks *from, const struct blocks *into, int is_equal, MPI_Comm comm, long site) {
  struct bytes sent = pack_all(from, site), all = space_for(into, site);
  if (is_equal)
    MPI_Alltoall(sent.data, sent.counts[0], MPI_BYTE, all.data, all.counts[0], MPI_BYTE, comm);
  else
    MPI_Alltoallv(sent.data, sent.counts, sent.places, MPI_BYTE, all.data, all.counts, all.places, MPI_BYTE, comm);
  give_back(sent);
  unpack_all(all, into);
  return MPI_SUCCESS;
}

int mpi_typed_Alltoall(const void *data, int send_count, MPI_Datatype send_type, void *buffer, int count,
                       MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = equal(buffer, count, type, size_of(comm), SITE);
  struct blocks from = data == MPI_IN_PLACE ? into : equal(data, send_count, send_type, size_of(comm), SITE);
  return all_to_all(&from, &into, 1, comm, SITE);
}

int mpi_typed_Alltoallv(const void *data, const int *send_counts, const int *send_places, MPI_Datatype send_type,
                        void *buffer, const int *counts, const int *places, MPI_Datatype type, MPI_Comm comm) {
  struct blocks into = placed(buffer, counts, places, type, size_of(comm), SITE);
  struct blocks from = data == MPI_IN_PLACE ? into : placed(data, send_counts, send_places, send_type, size_of(comm), SITE);
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
