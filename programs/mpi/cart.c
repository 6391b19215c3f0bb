// SPDX-License-Identifier: Apache-2.0
// Cartesian topologies: coordinates of ranks, the last dimension varies fastest.

#include <stdlib.h>
#include <string.h>

#include "shared.h"

// Of a communicator; a freed communicator's number gets a new one.
struct cart {
  struct cart *next;
  MPI_Comm comm;
  int count, *dims, *periods;
};

static struct cart *carts;

static struct cart *cart_of(MPI_Comm comm) {
  struct cart *cart = carts;
  while (cart && cart->comm != comm) cart = cart->next;
  return cart;
}

static const struct cart *found(MPI_Comm comm, long site) {
  const struct cart *cart = cart_of(comm);
  if (!cart) mpi_refuse("a communicator without a Cartesian topology; accepted: one of MPI_Cart_create or MPI_Cart_sub", site);
  return cart;
}

static void note(MPI_Comm comm, int count, const int *dims, const int *periods, long site) {
  struct cart *cart = cart_of(comm);
  if (!cart) {
    cart = calloc(1, sizeof *cart);
    if (!cart) mpi_refuse("no memory for a topology", site);
    cart->next = carts;
    carts = cart;
  }
  size_t bytes = (size_t)count * sizeof *dims;
  cart->comm = comm;
  cart->count = count;
  free(cart->dims);
  cart->dims = malloc(2 * bytes + 1);
  if (!cart->dims) mpi_refuse("no memory for a topology", site);
  cart->periods = cart->dims + count;
  memcpy(cart->dims, dims, bytes);
  for (int i = 0; i < count; i++) cart->periods[i] = periods[i] != 0;
}

static int product(int count, const int *dims) {
  int all = 1;
  for (int i = 0; i < count; i++) all *= dims[i];
  return all;
}

static void coords_of(const struct cart *cart, int rank, int *coords) {
  for (int i = cart->count - 1; i >= 0; i--) {
    coords[i] = rank % cart->dims[i];
    rank /= cart->dims[i];
  }
}

// The rank at coordinates, or MPI_PROC_NULL where there is none.
static int rank_at(const struct cart *cart, const int *coords) {
  int rank = 0;
  for (int i = 0; i < cart->count; i++) {
    int dim = cart->dims[i], at = coords[i];
    if (cart->periods[i]) at = (at % dim + dim) % dim;
    if (at < 0 || at >= dim) return MPI_PROC_NULL;
    rank = rank * dim + at;
  }
  return rank;
}


// The factors of a size in descending order, as near to each other as possible: of all descending lists the one with the least first
// factor, then the least second one, and so on.
static int factors(int size, int count, int most, int *dims) {
  if (count == 1) {
    dims[0] = size;
    return size <= most;
  }
  for (int first = 1; first <= size && first <= most; first++) {
    if (size % first) continue;
    dims[0] = first;
    if (factors(size / first, count - 1, first, dims + 1)) return 1;
  }
  return 0;
}

int MPI_Dims_create(int size, int count, int *dims) {
  int num_free = 0, rest = size, sorted[32];
  for (int i = 0; i < count; i++) {
    if (dims[i] == 0) num_free++;
    if (dims[i] < 0 || (dims[i] > 0 && rest % dims[i])) mpi_refuse("MPI_Dims_create: dimensions that do not divide the size", SITE);
    if (dims[i] > 0) rest /= dims[i];
  }
  if (num_free > 32) mpi_refuse("MPI_Dims_create: accepted: at most 32 dimensions", SITE);
  if (num_free == 0) {
    if (rest != 1) mpi_refuse("MPI_Dims_create: dimensions whose product is not the size", SITE);
    return MPI_SUCCESS;
  }
  factors(rest, num_free, rest, sorted);
  for (int i = 0, next = 0; i < count; i++)
    if (dims[i] == 0) dims[i] = sorted[next++];
  return MPI_SUCCESS;
}

int MPI_Cart_create(MPI_Comm comm, int count, const int *dims, const int *periods, int reorder, MPI_Comm *made) {
  (void)reorder;
  int rank, size, num_ranks = product(count, dims);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (num_ranks > size || num_ranks < 1) mpi_refuse("MPI_Cart_create: dimensions for more ranks than there are, or none", SITE);
  MPI_Comm_split(comm, rank < num_ranks ? 0 : MPI_UNDEFINED, rank, made);
  if (*made != MPI_COMM_NULL) note(*made, count, dims, periods, SITE);
  return MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm comm, int *count) {
  *count = found(comm, SITE)->count;
  return MPI_SUCCESS;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int most, int *coords) {
  const struct cart *cart = found(comm, SITE);
  if (most < cart->count) mpi_refuse("MPI_Cart_coords: fewer coordinates than the topology has dimensions", SITE);
  if (rank < 0 || rank >= product(cart->count, cart->dims)) mpi_refuse("MPI_Cart_coords: a rank that there is not", SITE);
  coords_of(cart, rank, coords);
  return MPI_SUCCESS;
}

int MPI_Cart_get(MPI_Comm comm, int most, int *dims, int *periods, int *coords) {
  const struct cart *cart = found(comm, SITE);
  if (most < cart->count) mpi_refuse("MPI_Cart_get: fewer numbers than the topology has dimensions", SITE);
  int rank;
  MPI_Comm_rank(comm, &rank);
  memcpy(dims, cart->dims, (size_t)cart->count * sizeof *dims);
  memcpy(periods, cart->periods, (size_t)cart->count * sizeof *periods);
  coords_of(cart, rank, coords);
  return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int *coords, int *rank) {
  *rank = rank_at(found(comm, SITE), coords);
  if (*rank == MPI_PROC_NULL) mpi_refuse("MPI_Cart_rank: coordinates outside the topology", SITE);
  return MPI_SUCCESS;
}

int MPI_Cart_shift(MPI_Comm comm, int dimension, int distance, int *source, int *destination) {
  const struct cart *cart = found(comm, SITE);
  if (dimension < 0 || dimension >= cart->count) mpi_refuse("MPI_Cart_shift: a dimension that there is not", SITE);
  int rank, *coords = malloc((size_t)cart->count * sizeof *coords);
  if (!coords) mpi_refuse("no memory for coordinates", SITE);
  MPI_Comm_rank(comm, &rank);
  coords_of(cart, rank, coords);
  coords[dimension] += distance;
  *destination = rank_at(cart, coords);
  coords[dimension] -= 2 * distance;
  *source = rank_at(cart, coords);
  free(coords);
  return MPI_SUCCESS;
}

// Ranks with the same coordinates in the dimensions that are not kept are together.
int MPI_Cart_sub(MPI_Comm comm, const int *kept, MPI_Comm *made) {
  const struct cart *cart = found(comm, SITE);
  int *space = malloc((size_t)cart->count * 3 * sizeof *space + 1), *coords = space, *dims = space + cart->count;
  if (!space) mpi_refuse("no memory for a topology", SITE);
  int *periods = dims + cart->count, rank, colour = 0, count = 0;
  MPI_Comm_rank(comm, &rank);
  coords_of(cart, rank, coords);
  for (int i = 0; i < cart->count; i++) {
    if (kept[i]) {
      dims[count] = cart->dims[i];
      periods[count++] = cart->periods[i];
    } else {
      colour = colour * cart->dims[i] + coords[i];
    }
  }
  MPI_Comm_split(comm, colour, rank, made);
  note(*made, count, dims, periods, SITE);
  free(space);
  return MPI_SUCCESS;
}

// Where a program makes no graphs there is none of them (graph.c).
__attribute__((weak)) int mpi_graph_kind(MPI_Comm comm);

int MPI_Topo_test(MPI_Comm comm, int *topology) {
  *topology = cart_of(comm) ? MPI_CART : mpi_graph_kind ? mpi_graph_kind(comm) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// Ranks keep their order; those behind the last place have none.
int MPI_Cart_map(MPI_Comm comm, int count, const int *dims, const int *periods, int *rank) {
  int places = 1;
  (void)periods;
  for (int i = 0; i < count; i++) places *= dims[i];
  MPI_Comm_rank(comm, rank);
  if (*rank >= places) *rank = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// A duplicate has the topology too, over calls (calls/kinds.ld).
const char mpi_cart_mark[1] = {1};

int mpi_placed_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  mpi_plain_Comm_dup(comm, made);
  const struct cart *cart = cart_of(comm);
  if (cart) note(*made, cart->count, cart->dims, cart->periods, SITE);
  if (mpi_graph_copy) mpi_graph_copy(comm, *made, SITE);
  return MPI_SUCCESS;
}
