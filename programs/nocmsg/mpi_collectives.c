// SPDX-License-Identifier: Apache-2.0
// Collectives of MPI over all ranks. Those of other communicators are composed of messages (mpi_composed.c), and all where a program sends synchronously.

#include <string.h>

#include "mpi_composed.h"
#include "mpi_parts.h"
#include "nocmsg.h"

static void no_fold(void *into, const void *from, size_t count) {
  (void)into, (void)from, (void)count;
  mpi_wrong("an operator or datatype that reductions over ports do not have; accepted: noccl build --calls");
}
#define NO_FOLD no_fold
#include "operators.h"

// The block at a number of elements from the beginning.
static char *at(const void *data, int start, MPI_Datatype type) { return (char *)data + mpi_bytes(start, type); }

static void copy(void *to, const void *from, size_t bytes) {
  if (from != MPI_IN_PLACE && to != MPI_IN_PLACE && bytes) memcpy(to, from, bytes);
}

int MPI_Barrier(MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm)) return mpi_composed_Barrier(comm);
  nm_barrier();
  return MPI_SUCCESS;
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm)) return mpi_composed_Bcast(data, count, type, root, comm);
  nm_broadcast(root, data, mpi_bytes(count, type));
  return MPI_SUCCESS;
}

static mpi_fold *const folds_none[MPI_MAXLOC + 1] = {[0 ... MPI_MAXLOC] = no_fold};

// By type and operator.
static mpi_fold *const *const folds[] = {
    folds_byte,     folds_byte,  folds_int,    folds_long,
    folds_unsigned, folds_float, folds_double, folds_unsigned_long,
    [MPI_SHORT ... MPI_SHORT_INT] = folds_none,
};

mpi_fold *mpi_fold_of(MPI_Datatype type, MPI_Op op) { return folds[type][op]; }

static _Noreturn void not_at_root(void) { mpi_wrong("MPI_IN_PLACE: accepted at the root only"); }

// The root's part stands in its result; no other rank has one.
static __attribute__((noinline, cold)) const void *in_place(const void *result, int root, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank != root) not_at_root();
  return result;
}

int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  const void *own = data == MPI_IN_PLACE ? in_place(result, root, comm) : data;
  if (!mpi_is_of_mesh(comm)) return mpi_composed_Reduce(data, result, count, type, op, root, comm);
  nm_reduce(root, own, result, (size_t)count, mpi_bytes(1, type), folds[type][op]);
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const void *own = data == MPI_IN_PLACE ? result : data;
  if (!mpi_is_of_mesh(comm)) return mpi_composed_Allreduce(data, result, count, type, op, comm);
  nm_all_reduce(own, result, (size_t)count, mpi_bytes(1, type), folds[type][op]);
  return MPI_SUCCESS;
}

// Blocks of ranks: equal ones one after the other, or where they begin and how long they are.
struct blocks {
  const int *counts, *starts;
  int count;
  MPI_Datatype type;
};

static size_t block_bytes(struct blocks blocks, int rank) {
  return mpi_bytes(blocks.counts ? blocks.counts[rank] : blocks.count, blocks.type);
}

static char *block_at(const void *data, struct blocks blocks, int rank) {
  return at(data, blocks.starts ? blocks.starts[rank] : rank * blocks.count, blocks.type);
}

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

// The root takes the blocks in the order of ranks.
static void gather(const void *send, size_t send_bytes, void *receive, struct blocks blocks, int root, MPI_Comm comm) {
  if (own_rank(comm) != root) {
    if (send == MPI_IN_PLACE) not_at_root();
    nm_send(root, send, send_bytes);
    return;
  }
  for (int rank = 0; rank < size_of(comm); rank++) {
    char *block = block_at(receive, blocks, rank);
    if (rank == root) {
      copy(block, send, block_bytes(blocks, rank));
    } else {
      nm_receive(rank, block, block_bytes(blocks, rank));
    }
  }
}

int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm))
    return mpi_composed_Gather(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
  struct blocks blocks = {.count = receive_count, .type = receive_type};
  gather(send, mpi_bytes(send_count, send_type), receive, blocks, root, comm);
  return MPI_SUCCESS;
}

int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm))
    return mpi_composed_Gatherv(send, send_count, send_type, receive, counts, starts, receive_type, root, comm);
  struct blocks blocks = {counts, starts, 0, receive_type};
  gather(send, mpi_bytes(send_count, send_type), receive, blocks, root, comm);
  return MPI_SUCCESS;
}

static void scatter(const void *send, struct blocks blocks, void *receive, size_t bytes, int root, MPI_Comm comm) {
  if (own_rank(comm) != root) {
    if (receive == MPI_IN_PLACE) not_at_root();
    nm_receive(root, receive, bytes);
    return;
  }
  for (int rank = 0; rank < size_of(comm); rank++) {
    const char *block = block_at(send, blocks, rank);
    if (rank == root) {
      copy(receive, block, block_bytes(blocks, rank));
    } else {
      nm_send(rank, block, block_bytes(blocks, rank));
    }
  }
}

int MPI_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm))
    return mpi_composed_Scatter(send, send_count, send_type, receive, receive_count, receive_type, root, comm);
  struct blocks blocks = {.count = send_count, .type = send_type};
  scatter(send, blocks, receive, mpi_bytes(receive_count, receive_type), root, comm);
  return MPI_SUCCESS;
}

int MPI_Scatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm))
    return mpi_composed_Scatterv(send, counts, starts, send_type, receive, receive_count, receive_type, root, comm);
  struct blocks blocks = {counts, starts, 0, send_type};
  scatter(send, blocks, receive, mpi_bytes(receive_count, receive_type), root, comm);
  return MPI_SUCCESS;
}

// A broadcast by each rank.
static void all_gather(const void *send, void *receive, struct blocks blocks, MPI_Comm comm) {
  int own = own_rank(comm);
  copy(block_at(receive, blocks, own), send, block_bytes(blocks, own));
  for (int rank = 0; rank < nm_ranks(); rank++)
    nm_broadcast(rank, block_at(receive, blocks, rank), block_bytes(blocks, rank));
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm))
    return mpi_composed_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
  all_gather(send, receive, (struct blocks){.count = receive_count, .type = receive_type}, comm);
  return MPI_SUCCESS;
}

int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                   const int *starts, MPI_Datatype receive_type, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm))
    return mpi_composed_Allgatherv(send, send_count, send_type, receive, counts, starts, receive_type, comm);
  all_gather(send, receive, (struct blocks){counts, starts, 0, receive_type}, comm);
  return MPI_SUCCESS;
}

int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm) || send == MPI_IN_PLACE)
    return mpi_composed_Alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
  nm_all_to_all(send, receive, mpi_bytes(send_count, send_type));
  return MPI_SUCCESS;
}

struct exchange {
  const void *send;
  void *receive;
  struct blocks out, in;
};

static void exchange_blocks(void *all, int to, int from) {
  const struct exchange *exchange = all;
  nm_send(to, block_at(exchange->send, exchange->out, to), block_bytes(exchange->out, to));
  nm_receive(from, block_at(exchange->receive, exchange->in, from), block_bytes(exchange->in, from));
}

int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                  void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                  MPI_Comm comm) {
  if (!mpi_is_of_mesh(comm) || send == MPI_IN_PLACE)
    return mpi_composed_Alltoallv(send, send_counts, send_starts, send_type, receive, receive_counts, receive_starts,
                                  receive_type, comm);
  struct exchange all = {
      send, receive, {send_counts, send_starts, 0, send_type}, {receive_counts, receive_starts, 0, receive_type}};
  int own = own_rank(comm);
  copy(block_at(receive, all.in, own), block_at(send, all.out, own), block_bytes(all.out, own));
  nm_exchange(exchange_blocks, &all);
  return MPI_SUCCESS;
}
