// SPDX-License-Identifier: Apache-2.0
// Collectives: every rank computes its partners from its place (S4, sections 2 and 3; docs/core_algorithms.md).

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"

static int has_rank(int column, int row) {
  return column >= 0 && column < nm_columns() && row >= 0 && nm_rank_at(column, row) < nm_ranks() && row < nm_rows();
}

// The tree of barriers: the parent of each rank, found level by level from the middle. A rank picks the neighbour nearer
// to the root that has the fewest children, then the lowest rank.
static int *parents;

static int away(int value) { return value < 0 ? -value : value; }

static int level_of(int rank, int root) {
  int columns = nm_columns();
  return away(rank % columns - root % columns) + away(rank / columns - root / columns);
}

static void plant(void) {
  int ranks = nm_ranks(), columns = nm_columns();
  int root = nm_rank_at((columns - 1) / 2, (nm_rows() - 1) / 2);
  parents = malloc(sizeof *parents * (size_t)ranks);
  int *children = calloc((size_t)ranks, sizeof *children);
  assert(parents && children);
  parents[root] = -1;
  for (int level = 1, found = 1; found < ranks; level++) {
    for (int rank = 0; rank < ranks; rank++) {
      if (level_of(rank, root) != level) continue;
      int near[4] = {rank - columns, rank - 1, rank + 1, rank + columns}, best = -1;
      for (int side = 0; side < 4; side++) {
        int other = near[side];
        int is_beside = side == 0 || side == 3 || (other >= 0 && other / columns == rank / columns);
        if (other < 0 || other >= ranks || !is_beside || level_of(other, root) != level - 1) continue;
        if (best < 0 || children[other] < children[best]) best = other;
      }
      assert(best >= 0);
      parents[rank] = best;
      children[best]++;
      found++;
    }
  }
  free(children);
}

void nm_barrier(void) {
  if (!parents) plant();
  int rank = nm_rank(), columns = nm_columns();
  // Children in the order east, west, north, south.
  int sides[4] = {rank + 1, rank - 1, rank + columns, rank - columns};
  for (int side = 0; side < 4; side++) {
    int child = sides[side];
    if (child >= 0 && child < nm_ranks() && parents[child] == rank) nm_receive(child, 0, 0);
  }
  if (parents[rank] >= 0) {
    nm_send(parents[rank], 0, 0);
    nm_receive(parents[rank], 0, 0);
  }
  for (int side = 0; side < 4; side++) {
    int child = sides[side];
    if (child >= 0 && child < nm_ranks() && parents[child] == rank) nm_send(child, 0, 0);
  }
}

// Ports of the static network's crossbar, in the order of its inputs and outputs.
enum { NORTH, EAST, SOUTH, WEST, LOCAL };

static uint64_t route(int input, unsigned outputs) { return (uint64_t)outputs << (5 * input); }

// Words of FIFOs between two routers.
#define FIFO_WORDS 3

static void broadcast_static(int root, void *data, size_t bytes) {
  int x = nm_column(), y = nm_row(), rx = root % nm_columns(), ry = root / nm_columns();
  unsigned north = y + 1 < nm_rows(), south = y > 0, east = x + 1 < nm_columns(), west = x > 0;
  unsigned row = east << EAST | west << WEST;
  uint64_t way;
  if (x == rx && y == ry) {
    way = route(LOCAL, row | north << NORTH | south << SOUTH);
  } else if (x == rx) {
    unsigned on = y > ry ? north << NORTH : south << SOUTH;
    way = route(y > ry ? SOUTH : NORTH, row | on | 1u << LOCAL);
  } else {
    unsigned on = x > rx ? east << EAST : west << WEST;
    way = route(x > rx ? WEST : EAST, on | 1u << LOCAL);
  }
  uint64_t entered = nm_enter();
  noccl_store64(NOCCL_PORT_STATIC_CONFIGURE, way);
  // Short streams are filled up, so that streams of three roots that follow each other cannot mix.
  int far_x = rx > nm_columns() - 1 - rx ? rx : nm_columns() - 1 - rx;
  int far_y = ry > nm_rows() - 1 - ry ? ry : nm_rows() - 1 - ry;
  size_t words = (bytes + 3) / 4, least = (size_t)(FIFO_WORDS * (far_x + far_y) + 1);
  size_t all = words > least ? words : least;
  int is_root = x == rx && y == ry;
  char *at = data;
  for (size_t word = 0; word < all;) {
    for (unsigned now = is_root ? nm_static_space() : nm_static_words(); now && word < all; now--, word++) {
      size_t done = 4 * word, left = done < bytes ? bytes - done : 0;
      if (is_root) {
        uint32_t value = 0;
        memcpy(&value, at + done, left < 4 ? left : 4);
        noccl_store(NOCCL_PORT_STATIC_SEND, value);
      } else {
        uint32_t value = noccl_load(NOCCL_PORT_STATIC_RECEIVE);
        memcpy(at + done, &value, left < 4 ? left : 4);
      }
    }
  }
  if (is_root) {
    nm_count_message(bytes);
    nm_leave_send(entered);
  } else {
    nm_leave_receive(entered);
  }
}

void nm_broadcast(int root, void *data, size_t bytes) {
  if (nm_is_full() && nm_ranks() > 1 && bytes) {
    broadcast_static(root, data, bytes);
    return;
  }
  nm_broadcast_tree(root, data, bytes);
}

// Receives an operand and folds it in.
static void fold_from(int rank, char *sum, char *buffer, size_t count, size_t element_bytes, nm_fold *fold) {
  nm_receive(rank, buffer, count * element_bytes);
  fold(sum, buffer, count);
}

void nm_reduce(int root, const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold) {
  size_t bytes = count * element_bytes;
  int x = nm_column(), y = nm_row(), rx = root % nm_columns(), ry = root / nm_columns();
  if (!has_rank(x, ry)) {
    // The last row is not full and the root stands in it: straight to the root.
    nm_send(root, data, bytes);
    return;
  }
  if (y != ry) {
    nm_send(nm_rank_at(x, ry), data, bytes);
    return;
  }
  char *sum = malloc(bytes + 1), *buffer = malloc(bytes + 1);
  assert(sum && buffer && "memory for operands");
  memcpy(sum, data, bytes);
  for (int row = ry - 1; row >= 0; row--) fold_from(nm_rank_at(x, row), sum, buffer, count, element_bytes, fold);
  for (int row = ry + 1; has_rank(x, row); row++) fold_from(nm_rank_at(x, row), sum, buffer, count, element_bytes, fold);
  if (x != rx) {
    nm_send(root, sum, bytes);
  } else {
    for (int column = rx - 1; column >= 0; column--)
      fold_from(nm_rank_at(column, ry), sum, buffer, count, element_bytes, fold);
    for (int column = rx + 1; column < nm_columns(); column++) {
      if (has_rank(column, ry)) {
        fold_from(nm_rank_at(column, ry), sum, buffer, count, element_bytes, fold);
      } else {
        for (int row = 0; row < ry; row++)
          fold_from(nm_rank_at(column, row), sum, buffer, count, element_bytes, fold);
      }
    }
    memcpy(result, sum, bytes);
  }
  free(sum);
  free(buffer);
}

void nm_all_reduce(const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold) {
  nm_reduce(0, data, result, count, element_bytes, fold);
  nm_broadcast(0, result, count * element_bytes);
}
