// SPDX-License-Identifier: Apache-2.0
// Collectives that go on concurrent with the calls of their ranks, over calls, and persistent ones: by the network's algorithms, or where these do not do
// them, in one round of messages from each rank to all that need its data. Reductions combine blocks in the order of ranks.

#include <stdlib.h>
#include <string.h>

#include "blocks.h"

// Of any of them.
struct arguments {
  const void *send;
  void *buffer;
  int send_count, count, root;
  const int *send_counts, *send_places, *counts, *places;
  const MPI_Datatype *send_types, *types;
  MPI_Datatype send_type, type;
  MPI_Op op;
  MPI_Comm comm;
  long site;
};

// What is left to do when its messages have arrived: elements of derived datatypes, or the reduction of blocks from first to last.
struct operation {
  struct bytes arrived;
  struct blocks into;
  struct fold of;
  int first, last;
  void *result;
  long site;
};

// The number of a request, or -1 where it has to be composed.
static MPI_Request begun(const struct group *in, long what, const void *data, long bytes, void *buffer, long root) {
  return (int)call(CALL_COLLECTIVE, what | COLLECTIVE_BEGINS, (long)data, bytes, (long)buffer, in->comm, root, in->site);
}

static void unpack(void *state) {
  struct operation *operation = state;
  mpi_bytes_unpack(operation->arrived, &operation->into, operation->site);
  free(operation);
}

static void reduce_blocks(void *state) {
  struct operation *operation = state;
  const struct fold *of = &operation->of;
  for (int i = operation->first; i <= operation->last; i++) {
    const char *block = operation->arrived.data + operation->arrived.places[i];
    if (i == operation->first)
      memcpy(operation->result, block, (size_t)of->bytes);
    else
      mpi_combine(operation->result, block, of->count, of->type, of->op, operation->site);
  }
  mpi_bytes_free(operation->arrived);
  free(operation);
}

static MPI_Request kept(MPI_Request active, mpi_over *over, struct operation operation) {
  struct operation *copy = mpi_space_for(sizeof *copy, operation.site);
  *copy = operation;
  return mpi_keep_operation(active, over, copy, operation.site);
}

// A request after which elements that have arrived go to their places, if they are not there.
static MPI_Request arriving(MPI_Request active, struct bytes arrived, const struct blocks *into, long site) {
  if (arrived.is_copy) return kept(active, unpack, (struct operation){.arrived = arrived, .into = *into, .site = site});
  mpi_bytes_free(arrived);
  return active;
}

// All other ranks from the first to the last.
static struct ends others(const struct group *in, const struct bytes *bytes, long first, long last) {
  int *ranks = mpi_space_for(in->size * (long)sizeof *ranks, in->site);
  for (int i = 0; i < in->size; i++) ranks[i] = i >= first && i <= last && i != in->rank ? i : MPI_PROC_NULL;
  return (struct ends){bytes, ranks, (int)in->size, 0, 0};
}

static struct ends all_others(const struct group *in, const struct bytes *bytes) { return others(in, bytes, 0, in->size - 1); }

static struct ends one(struct ends ends) {
  ends.is_one = 1;
  return ends;
}

// The root alone, with a single block.
static struct ends root_only(const struct bytes *bytes, const struct arguments *given) {
  int *ranks = mpi_space_for(sizeof *ranks, given->site);
  *ranks = given->root;
  return (struct ends){bytes, ranks, 1, 0, 0};
}

static const struct ends nobody;

static MPI_Request posted(const struct group *in, struct ends out, struct ends into) {
  MPI_Request request = mpi_round(in, out, into);
  free(out.ranks);
  free(into.ranks);
  return request;
}

// A rank's block for itself.
static void copy_own(const struct group *in, const struct bytes *from, int sent, const struct bytes *into, int received) {
  int bytes = from->counts[sent];
  if (bytes > into->counts[received]) mpi_refuse("a block that is longer than its buffer", in->site);
  memmove(into->data + into->places[received], from->data + from->places[sent], (size_t)bytes);
}

static MPI_Request barrier(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  MPI_Request request = begun(&in, FUNCTION_BARRIER, 0, 0, 0, 0);
  if (request >= 0) return request;
  struct blocks nothing = mpi_equal_blocks(0, 0, MPI_BYTE, (int)in.size, given->site);
  struct bytes empty = mpi_bytes_space(&nothing, given->site);
  request = posted(&in, all_others(&in, &empty), all_others(&in, &empty));
  mpi_bytes_free(empty);
  return request;
}

static MPI_Request bcast(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  struct blocks whole = mpi_equal_blocks(given->buffer, given->count, given->type, 1, given->site);
  struct bytes bytes = mpi_bytes_in_place(&whole, 1, given->site);
  MPI_Request request = begun(&in, FUNCTION_BCAST, bytes.data, bytes.counts[0], bytes.data, given->root);
  if (request < 0 && in.rank == given->root) request = posted(&in, one(all_others(&in, &bytes)), nobody);
  if (request < 0) request = posted(&in, nobody, root_only(&bytes, given));
  return arriving(request, bytes, &whole, given->site);
}

// What a rank sends to all, or to the root; in place it stands among the blocks that it receives.
static struct bytes sent_block(const struct arguments *given, const struct bytes *in_place, int rank) {
  if (given->send == MPI_IN_PLACE) {
    struct blocks own = mpi_equal_blocks(in_place->data + in_place->places[rank], in_place->counts[rank], MPI_BYTE, 1, given->site);
    return mpi_bytes_in_place(&own, 1, given->site);
  }
  struct blocks own = mpi_equal_blocks(given->send, given->send_count, given->send_type, 1, given->site);
  return mpi_bytes_in_place(&own, 1, given->site);
}

// Blocks of ranks that a rank receives, or those that it sends.
static struct blocks received(const struct arguments *given, int num_blocks) {
  if (given->types) return mpi_typed_blocks(given->buffer, given->counts, given->places, given->types, num_blocks);
  if (given->counts) return mpi_placed_blocks(given->buffer, given->counts, given->places, given->type, num_blocks, given->site);
  return mpi_equal_blocks(given->buffer, given->count, given->type, num_blocks, given->site);
}

static struct blocks sent(const struct arguments *given, int num_blocks) {
  if (given->send_types)
    return mpi_typed_blocks(given->send, given->send_counts, given->send_places, given->send_types, num_blocks);
  if (given->send_counts)
    return mpi_placed_blocks(given->send, given->send_counts, given->send_places, given->send_type, num_blocks, given->site);
  return mpi_equal_blocks(given->send, given->send_count, given->send_type, num_blocks, given->site);
}

static MPI_Request gather(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  begun(&in, FUNCTION_GATHERV, 0, 0, 0, given->root);
  if (in.rank != given->root) {
    struct bytes own = sent_block(given, 0, 0);
    MPI_Request request = posted(&in, root_only(&own, given), nobody);
    mpi_bytes_free(own);
    return request;
  }
  struct blocks into = received(given, (int)in.size);
  struct bytes all = mpi_bytes_in_place(&into, 1, given->site), own = sent_block(given, &all, (int)in.rank);
  copy_own(&in, &own, 0, &all, (int)in.rank);
  mpi_bytes_free(own);
  return arriving(posted(&in, nobody, all_others(&in, &all)), all, &into, given->site);
}

static MPI_Request scatter(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  begun(&in, FUNCTION_SCATTERV, 0, 0, 0, given->root);
  int is_root = in.rank == given->root, has_own = given->buffer != MPI_IN_PLACE;
  struct blocks into = mpi_equal_blocks(given->buffer, has_own ? given->count : 0, has_own ? given->type : MPI_BYTE, 1, given->site);
  struct bytes own = mpi_bytes_in_place(&into, 0, given->site);
  if (!is_root) return arriving(posted(&in, nobody, root_only(&own, given)), own, &into, given->site);
  struct blocks from = sent(given, (int)in.size);
  struct bytes all = mpi_bytes_in_place(&from, 1, given->site);
  if (has_own) copy_own(&in, &all, (int)in.rank, &own, 0);
  MPI_Request request = posted(&in, all_others(&in, &all), nobody);
  mpi_bytes_free(all);
  return arriving(request, own, &into, given->site);
}

static MPI_Request allgather(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  struct blocks into = received(given, (int)in.size);
  struct bytes all = mpi_bytes_in_place(&into, 1, given->site), own = sent_block(given, &all, (int)in.rank);
  long what = given->counts ? FUNCTION_ALLGATHERV : FUNCTION_ALLGATHER;
  MPI_Request request = begun(&in, what, own.data, given->counts ? 0 : own.counts[0], all.data, 0);
  if (request < 0) {
    copy_own(&in, &own, 0, &all, (int)in.rank);
    request = posted(&in, one(all_others(&in, &own)), all_others(&in, &all));
  }
  mpi_bytes_free(own);
  return arriving(request, all, &into, given->site);
}

static MPI_Request all_to_all(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  struct blocks into = received(given, (int)in.size), from = given->send == MPI_IN_PLACE ? into : sent(given, (int)in.size);
  struct bytes all = mpi_bytes_in_place(&into, 0, given->site);
  struct bytes own = given->send == MPI_IN_PLACE ? mpi_bytes_packed(&from, given->site) : mpi_bytes_in_place(&from, 1, given->site);
  int is_equal = !given->counts && !given->types;
  long what = is_equal ? FUNCTION_ALLTOALL : FUNCTION_ALLTOALLV;
  MPI_Request request = begun(&in, what, own.data, is_equal ? own.counts[0] * in.size : 0, all.data, 0);
  if (request < 0) {
    copy_own(&in, &own, (int)in.rank, &all, (int)in.rank);
    request = posted(&in, all_others(&in, &own), all_others(&in, &all));
  }
  mpi_bytes_free(own);
  return arriving(request, all, &into, given->site);
}

// Elements of a derived datatype are combined where they are, gaps included.
static struct fold fold_of(long count, const struct arguments *given) {
  if (!mpi_is_derived(given->type)) return mpi_folded(count, given->type, given->op, given->site);
  if (given->op <= MPI_MAXLOC) mpi_refuse(MPI_NO_OPERATOR, given->site);
  return (struct fold){count, mpi_span_of(count, given->type, given->site), given->type, given->op};
}

static long reduction(long function, const struct arguments *given) {
  if (mpi_is_derived(given->type)) return function | FOLD_OTHER << 8 | ELEMENT_OTHER << 16;
  return mpi_reduction(function, given->op, given->type);
}

// What a rank gives to a reduction: elements of all blocks of it.
static const char *given_elements(const struct arguments *given) {
  return given->send == MPI_IN_PLACE ? given->buffer : given->send;
}

// Space for a block of each rank; its own is there.
static struct bytes space_for_all(const struct group *in, const struct fold *of, const char *own) {
  struct blocks blocks = mpi_equal_blocks(0, (int)of->bytes, MPI_BYTE, (int)in->size, in->site);
  struct bytes space = mpi_bytes_space(&blocks, in->site);
  memcpy(space.data + space.places[in->rank], own, (size_t)of->bytes);
  return space;
}

static MPI_Request combining(MPI_Request active, struct bytes space, const struct fold *of, long first, long last,
                             const struct arguments *given) {
  return kept(active, reduce_blocks, (struct operation){.arrived = space, .of = *of, .first = (int)first, .last = (int)last,
                                                         .result = given->buffer, .site = given->site});
}

// Reductions to one rank, to all, and of those below: who gets the blocks of whom.
static MPI_Request reduce_to(const struct arguments *given, long function) {
  struct group in = mpi_group_of(given->comm, given->site);
  struct fold of = fold_of(given->count, given);
  const char *own = given_elements(given);
  int is_to_all = function != FUNCTION_REDUCE, is_prefix = function == FUNCTION_SCAN || function == FUNCTION_EXSCAN;
  MPI_Request request = begun(&in, reduction(function, given), own, of.bytes, given->buffer, is_to_all ? 0 : given->root);
  if (request >= 0) return request;
  struct blocks whole = mpi_equal_blocks(own, (int)of.bytes, MPI_BYTE, 1, given->site);
  struct bytes bytes = mpi_bytes_in_place(&whole, 1, given->site);
  if (!is_to_all && in.rank != given->root) {
    request = posted(&in, root_only(&bytes, given), nobody);
  } else {
    struct bytes space = space_for_all(&in, &of, own);
    long last = is_prefix ? in.rank : in.size - 1;
    struct ends above = is_to_all ? one(others(&in, &bytes, is_prefix ? in.rank + 1 : 0, in.size - 1)) : nobody;
    request = posted(&in, above, others(&in, &space, 0, last));
    request = combining(request, space, &of, 0, function == FUNCTION_EXSCAN ? last - 1 : last, given);
  }
  mpi_bytes_free(bytes);
  return request;
}

static MPI_Request reduce(const void *given) { return reduce_to(given, FUNCTION_REDUCE); }
static MPI_Request allreduce(const void *given) { return reduce_to(given, FUNCTION_ALLREDUCE); }
static MPI_Request scan(const void *given) { return reduce_to(given, FUNCTION_SCAN); }
static MPI_Request exscan(const void *given) { return reduce_to(given, FUNCTION_EXSCAN); }

static MPI_Request reduce_scatter(const void *state) {
  const struct arguments *given = state;
  struct group in = mpi_group_of(given->comm, given->site);
  int *places = mpi_space_for(in.size * (long)sizeof *places, given->site), all = 0;
  for (int i = 0; i < in.size; i++) {
    places[i] = all;
    all += given->counts ? given->counts[i] : given->count;
  }
  struct fold of = fold_of(given->counts ? given->counts[in.rank] : given->count, given), whole = fold_of(all, given);
  const char *elements = given_elements(given);
  long function = given->counts ? FUNCTION_REDUCE_SCATTER : FUNCTION_REDUCE_SCATTER_BLOCK;
  MPI_Request request = begun(&in, reduction(function, given), elements, whole.bytes, given->buffer, 0);
  if (request < 0) {
    struct blocks from = given->counts ? mpi_placed_blocks(elements, given->counts, places, given->type, (int)in.size, given->site)
                                       : mpi_equal_blocks(elements, given->count, given->type, (int)in.size, given->site);
    struct bytes blocks = mpi_bytes_in_place(&from, 1, given->site);
    if (blocks.is_copy) mpi_refuse("a reduction of blocks of a derived datatype with gaps; accepted: Iallreduce", given->site);
    struct bytes space = space_for_all(&in, &of, blocks.data + blocks.places[in.rank]);
    request = posted(&in, all_others(&in, &blocks), all_others(&in, &space));
    request = combining(request, space, &of, 0, in.size - 1, given);
    mpi_bytes_free(blocks);
  }
  free(places);
  return request;
}

// Neighbours: one block for all of them, or one for each.
static MPI_Request along_edges(const struct arguments *given, int is_one) {
  struct group in = mpi_group_of(given->comm, given->site);
  struct ends from, to;
  mpi_neighbours(given->comm, &from, &to, given->site);
  struct blocks into = received(given, from.count), out = sent(given, is_one ? 1 : to.count);
  // Blocks without a neighbour stay as they are.
  struct bytes arrived = mpi_bytes_in_place(&into, 1, given->site), left = mpi_bytes_in_place(&out, 1, given->site);
  from.bytes = &arrived;
  to.bytes = &left;
  to.is_one = is_one;
  MPI_Request request = posted(&in, to, from);
  mpi_bytes_free(left);
  return arriving(request, arrived, &into, given->site);
}

static MPI_Request neighbor_allgather(const void *given) { return along_edges(given, 1); }
static MPI_Request neighbor_alltoall(const void *given) { return along_edges(given, 0); }

#define TAKES(...) __VA_ARGS__
// A function that begins a collective, and its persistent form.
#define FORMS(NONBLOCKING, PERSISTENT, BEGINS, PARAMETERS, FIELDS)                                  \
  int MPI_##NONBLOCKING(PARAMETERS MPI_Comm comm, MPI_Request *request) {                           \
    struct arguments given = {.comm = comm, .site = SITE, FIELDS};                                  \
    *request = BEGINS(&given);                                                                      \
    return MPI_SUCCESS;                                                                             \
  }                                                                                                 \
  int MPI_##PERSISTENT(PARAMETERS MPI_Comm comm, MPI_Info info, MPI_Request *request) {             \
    struct arguments given = {.comm = comm, .site = SITE, FIELDS};                                  \
    (void)info;                                                                                     \
    *request = mpi_keep_begins(BEGINS, &given, sizeof given, SITE);                                 \
    return MPI_SUCCESS;                                                                             \
  }
// The same, and the blocking one.
#define BLOCKING(NAME, NONBLOCKING, PERSISTENT, BEGINS, PARAMETERS, FIELDS)                         \
  FORMS(NONBLOCKING, PERSISTENT, BEGINS, TAKES(PARAMETERS), TAKES(FIELDS))                          \
  int MPI_##NAME(PARAMETERS MPI_Comm comm) {                                                        \
    struct arguments given = {.comm = comm, .site = SITE, FIELDS};                                  \
    MPI_Request request = BEGINS(&given);                                                           \
    return mpi_kept_Wait(&request, MPI_STATUS_IGNORE);                                              \
  }

#define SENT TAKES(const void *data, int send_count, MPI_Datatype send_type,)
#define SENT_FIELDS .send = data, .send_count = send_count, .send_type = send_type
#define BLOCK SENT TAKES(void *buffer, int count, MPI_Datatype type,)
#define BLOCK_FIELDS SENT_FIELDS, .buffer = buffer, .count = count, .type = type
#define BLOCKS SENT TAKES(void *buffer, const int *counts, const int *places, MPI_Datatype type,)
#define BLOCKS_FIELDS SENT_FIELDS, .buffer = buffer, .counts = counts, .places = places, .type = type
#define SENT_BLOCKS TAKES(const void *data, const int *send_counts, const int *send_places, MPI_Datatype send_type,)
#define SENT_BLOCKS_FIELDS .send = data, .send_counts = send_counts, .send_places = send_places, .send_type = send_type
#define PAIRS SENT_BLOCKS TAKES(void *buffer, const int *counts, const int *places, MPI_Datatype type,)
#define PAIRS_FIELDS SENT_BLOCKS_FIELDS, .buffer = buffer, .counts = counts, .places = places, .type = type
#define REDUCED TAKES(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op,)
#define REDUCED_FIELDS .send = data, .buffer = result, .count = count, .type = type, .op = op

FORMS(Ibarrier, Barrier_init, barrier, , )
FORMS(Ibcast, Bcast_init, bcast, TAKES(void *data, int count, MPI_Datatype type, int root,),
      TAKES(.buffer = data, .count = count, .type = type, .root = root))
FORMS(Igather, Gather_init, gather, BLOCK TAKES(int root,), TAKES(BLOCK_FIELDS, .root = root))
FORMS(Igatherv, Gatherv_init, gather, BLOCKS TAKES(int root,), TAKES(BLOCKS_FIELDS, .root = root))
FORMS(Iscatter, Scatter_init, scatter, BLOCK TAKES(int root,), TAKES(BLOCK_FIELDS, .root = root))
FORMS(Iscatterv, Scatterv_init, scatter, SENT_BLOCKS TAKES(void *buffer, int count, MPI_Datatype type, int root,),
      TAKES(SENT_BLOCKS_FIELDS, .buffer = buffer, .count = count, .type = type, .root = root))
FORMS(Iallgather, Allgather_init, allgather, BLOCK, TAKES(BLOCK_FIELDS))
FORMS(Iallgatherv, Allgatherv_init, allgather, BLOCKS, TAKES(BLOCKS_FIELDS))
FORMS(Ialltoall, Alltoall_init, all_to_all, BLOCK, TAKES(BLOCK_FIELDS))
FORMS(Ialltoallv, Alltoallv_init, all_to_all, PAIRS, TAKES(PAIRS_FIELDS))
#define KINDS                                                                                                            \
  TAKES(const void *data, const int *send_counts, const int *send_places, const MPI_Datatype *send_types, void *buffer,  \
        const int *counts, const int *places, const MPI_Datatype *types,)
#define KINDS_FIELDS                                                                                           \
  .send = data, .send_counts = send_counts, .send_places = send_places, .send_types = send_types,              \
  .buffer = buffer, .counts = counts, .places = places, .types = types
BLOCKING(Alltoallw, Ialltoallw, Alltoallw_init, all_to_all, KINDS, TAKES(KINDS_FIELDS))
FORMS(Ireduce, Reduce_init, reduce, REDUCED TAKES(int root,), TAKES(REDUCED_FIELDS, .root = root))
FORMS(Iallreduce, Allreduce_init, allreduce, REDUCED, TAKES(REDUCED_FIELDS))
FORMS(Iscan, Scan_init, scan, REDUCED, TAKES(REDUCED_FIELDS))
FORMS(Iexscan, Exscan_init, exscan, REDUCED, TAKES(REDUCED_FIELDS))
FORMS(Ireduce_scatter_block, Reduce_scatter_block_init, reduce_scatter, REDUCED, TAKES(REDUCED_FIELDS))
FORMS(Ireduce_scatter, Reduce_scatter_init, reduce_scatter,
      TAKES(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op,),
      TAKES(.send = data, .buffer = result, .counts = counts, .type = type, .op = op))
BLOCKING(Neighbor_allgather, Ineighbor_allgather, Neighbor_allgather_init, neighbor_allgather, BLOCK, TAKES(BLOCK_FIELDS))
BLOCKING(Neighbor_allgatherv, Ineighbor_allgatherv, Neighbor_allgatherv_init, neighbor_allgather, BLOCKS, TAKES(BLOCKS_FIELDS))
BLOCKING(Neighbor_alltoall, Ineighbor_alltoall, Neighbor_alltoall_init, neighbor_alltoall, BLOCK, TAKES(BLOCK_FIELDS))
BLOCKING(Neighbor_alltoallv, Ineighbor_alltoallv, Neighbor_alltoallv_init, neighbor_alltoall, PAIRS, TAKES(PAIRS_FIELDS))
