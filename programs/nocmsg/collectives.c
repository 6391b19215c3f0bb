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
  return column >= 0 && column < nm_here.columns && row >= 0 && row < nm_here.rows &&
         nm_rank_at(column, row) < nm_here.ranks;
}

// The tree of barriers: this rank's parent (-1: none) and children, in the order east, west, north, south.
static struct {
  int is_known, parent, children;
  int child[4];
} tree;

static int away(int value) { return value < 0 ? -value : value; }

static int level_of(int rank, int root) {
  return away(nm_column_of(rank) - nm_column_of(root)) + away(nm_row_of(rank) - nm_row_of(root));
}

// The neighbour nearer to the root that has the fewest children, then the westernmost, then the southernmost, as schedules have it.
static int parent_of(int rank, int root, const int *children) {
  int columns = nm_here.columns, near[4] = {rank - 1, rank - columns, rank + columns, rank + 1}, best = -1;
  for (int side = 0; side < 4; side++) {
    int other = near[side];
    if (other < 0 || other >= nm_here.ranks || level_of(other, rank) != 1) continue;
    if (level_of(other, root) != level_of(rank, root) - 1) continue;
    if (best < 0 || children[other] < children[best]) best = other;
  }
  assert(best >= 0);
  return best;
}

// The parents of all ranks, level by level from the middle; kept are this rank's edges.
static void find_tree(void) {
  int ranks = nm_here.ranks, columns = nm_here.columns;
  int root = nm_rank_at((columns - 1) / 2, (nm_here.rows - 1) / 2);
  int *parents = malloc(sizeof *parents * (size_t)ranks), *children = calloc((size_t)ranks, sizeof *children);
  assert(parents && children && "memory for the tree of barriers");
  parents[root] = -1;
  for (int level = 1, found = 1; found < ranks; level++) {
    for (int column = 0; column < columns; column++) {
      for (int rank = column; rank < ranks; rank += columns) {
        if (level_of(rank, root) != level) continue;
        parents[rank] = parent_of(rank, root, children);
        children[parents[rank]]++;
        found++;
      }
    }
  }
  int rank = nm_here.rank, sides[4] = {rank + 1, rank - 1, rank + columns, rank - columns};
  // In a single column the next rank is the one north of it, too.
  for (int side = columns > 1 ? 0 : 2; side < 4; side++) {
    int other = sides[side];
    if (other >= 0 && other < ranks && parents[other] == rank) tree.child[tree.children++] = other;
  }
  tree.parent = parents[rank];
  tree.is_known = 1;
  free(children);
  free(parents);
}

void nm_barrier(void) {
  if (!tree.is_known) find_tree();
  for (int child = 0; child < tree.children; child++) nm_receive(tree.child[child], 0, 0);
  if (tree.parent >= 0) {
    nm_send(tree.parent, 0, 0);
    nm_receive(tree.parent, 0, 0);
  }
  for (int child = 0; child < tree.children; child++) nm_send(tree.child[child], 0, 0);
}

// Ports of the static network's crossbar, in the order of its inputs and outputs.
enum { NORTH, EAST, SOUTH, WEST, LOCAL };

static uint64_t route(int input, unsigned outputs) { return (uint64_t)outputs << (5 * input); }

// Words of FIFOs between two routers.
#define FIFO_WORDS 3

// Outputs of this tile's router for a broadcast from a root: to the rows from its column, and on along the rows.
static uint64_t route_from(int rx, int ry) {
  int x = nm_here.column, y = nm_here.row;
  unsigned north = y + 1 < nm_here.rows, south = y > 0, east = x + 1 < nm_here.columns, west = x > 0;
  unsigned row = east << EAST | west << WEST;
  if (x != rx) {
    unsigned on = x > rx ? east << EAST : west << WEST;
    return route(x > rx ? WEST : EAST, on | 1u << LOCAL);
  }
  if (y == ry) return route(LOCAL, row | north << NORTH | south << SOUTH);
  unsigned on = y > ry ? north << NORTH : south << SOUTH;
  return route(y > ry ? SOUTH : NORTH, row | on | 1u << LOCAL);
}

static void broadcast_static(int root, void *data, size_t bytes) {
  int rx = nm_column_of(root), ry = nm_row_of(root);
  uint64_t entered = nm_enter();
  nm_configure(route_from(rx, ry));
  // Short streams are filled up, so that streams of three roots that follow each other cannot mix.
  int far_x = rx > nm_here.columns - 1 - rx ? rx : nm_here.columns - 1 - rx;
  int far_y = ry > nm_here.rows - 1 - ry ? ry : nm_here.rows - 1 - ry;
  size_t words = (bytes + 3) / 4, least = (size_t)(FIFO_WORDS * (far_x + far_y) + 1);
  size_t padding = words < least ? least - words : 0;
  if (root == nm_here.rank) {
    nm_stream_out(data, bytes, padding);
    nm_count_message(bytes);
    nm_leave_send(entered);
  } else {
    nm_stream_in(data, bytes, padding);
    nm_leave_receive(entered);
  }
}

void nm_broadcast(int root, void *data, size_t bytes) {
  if (nm_here.is_full && nm_here.ranks > 1 && bytes) {
    broadcast_static(root, data, bytes);
    return;
  }
  nm_broadcast_tree(root, data, bytes);
}

// Operands that are no longer stand on the stack.
#define FEW_BYTES 256

// Receives an operand and folds it in.
static void fold_from(int rank, char *sum, char *buffer, size_t count, size_t element_bytes, nm_fold *fold) {
  nm_receive(rank, buffer, count * element_bytes);
  fold(sum, buffer, count);
}

void nm_reduce(int root, const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold) {
  size_t bytes = count * element_bytes;
  int x = nm_here.column, y = nm_here.row, rx = nm_column_of(root), ry = nm_row_of(root);
  if (!has_rank(x, ry)) {
    // The last row is not full and the root stands in it: straight to the root.
    nm_send(root, data, bytes);
    return;
  }
  if (y != ry) {
    nm_send(nm_rank_at(x, ry), data, bytes);
    return;
  }
  char few[2 * FEW_BYTES], *sum = bytes > FEW_BYTES ? malloc(2 * bytes) : few, *buffer = sum + bytes;
  assert(sum && "memory for operands");
  memcpy(sum, data, bytes);
  for (int row = ry - 1; row >= 0; row--) fold_from(nm_rank_at(x, row), sum, buffer, count, element_bytes, fold);
  for (int row = ry + 1; has_rank(x, row); row++) fold_from(nm_rank_at(x, row), sum, buffer, count, element_bytes, fold);
  if (x != rx) {
    nm_send(root, sum, bytes);
  } else {
    for (int column = rx - 1; column >= 0; column--)
      fold_from(nm_rank_at(column, ry), sum, buffer, count, element_bytes, fold);
    for (int column = rx + 1; column < nm_here.columns; column++) {
      if (has_rank(column, ry)) {
        fold_from(nm_rank_at(column, ry), sum, buffer, count, element_bytes, fold);
      } else {
        for (int row = 0; row < ry; row++)
          fold_from(nm_rank_at(column, row), sum, buffer, count, element_bytes, fold);
      }
    }
    memcpy(result, sum, bytes);
  }
  if (sum != few) free(sum);
}

void nm_all_reduce(const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold) {
  nm_reduce(0, data, result, count, element_bytes, fold);
  nm_broadcast(0, result, count * element_bytes);
}
