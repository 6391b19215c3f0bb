// SPDX-License-Identifier: Apache-2.0
// The collectives of a library that does not look at the mesh, in place of collectives.c and exchanges.c: binomial trees, recursive
// doubling, a shift of ranks. S4's baselines; `noccl npb --library plain` and `interrupt` link them.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "nocmsg.h"
#include "place.h"

// A rank as the binomial tree numbers it, the root being 0, and back.
static int own_number(int root) { return nm_around(nm_here.rank - root + nm_here.ranks, nm_here.ranks); }
static int rank_of(int number, int root) { return nm_around(number + root, nm_here.ranks); }

void nm_broadcast(int root, void *data, size_t bytes) { nm_broadcast_tree(root, data, bytes); }

// Folds what `own`'s children have folded, in the order of their distance, and sends it to its parent.
void nm_reduce(int root, const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold) {
  size_t bytes = count * element_bytes;
  int own = own_number(root);
  char *sum = malloc(bytes + 1), *operand = malloc(bytes + 1);
  assert(sum && operand && "memory for operands");
  memcpy(sum, data, bytes);
  int step = 1;
  for (; step < nm_ranks() && (own & (2 * step - 1)) == 0; step *= 2) {
    if (own + step >= nm_ranks()) continue;
    nm_receive(rank_of(own + step, root), operand, bytes);
    fold(sum, operand, count);
  }
  if (own) {
    nm_send(rank_of(own - step, root), sum, bytes);
  } else {
    memcpy(result, sum, bytes);
  }
  free(sum);
  free(operand);
}

void nm_barrier(void) {
  char nothing = 0;
  int own = nm_rank(), step = 1;
  for (; step < nm_ranks() && (own & (2 * step - 1)) == 0; step *= 2)
    if (own + step < nm_ranks()) nm_receive(own + step, &nothing, 0);
  if (own) nm_send(own - step, &nothing, 0);
  nm_broadcast(0, &nothing, 0);
}

// Both partners fold the lower rank's operand first, so that all ranks have the same bits.
static void fold_with(int partner, char *sum, char *operand, size_t count, size_t element_bytes, nm_fold *fold) {
  size_t bytes = count * element_bytes;
  nm_send(partner, sum, bytes);
  nm_receive(partner, operand, bytes);
  if (partner > nm_rank()) {
    fold(sum, operand, count);
  } else {
    fold(operand, sum, count);
    memcpy(sum, operand, bytes);
  }
}

void nm_all_reduce(const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold) {
  int ranks = nm_ranks(), rank = nm_rank(), power = 1;
  while (2 * power <= ranks) power *= 2;
  size_t bytes = count * element_bytes;
  char *operand = malloc(bytes + 1);
  assert(operand && "memory for operands");
  if (result != data) memcpy(result, data, bytes);
  // Ranks beyond the power of two give their operand away and get the result.
  if (rank >= power) {
    nm_send(rank - power, result, bytes);
    nm_receive(rank - power, result, bytes);
  } else {
    if (rank + power < ranks) {
      nm_receive(rank + power, operand, bytes);
      fold(result, operand, count);
    }
    for (int step = 1; step < power; step *= 2) fold_with(rank ^ step, result, operand, count, element_bytes, fold);
    if (rank + power < ranks) nm_send(rank + power, result, bytes);
  }
  free(operand);
}

void nm_exchange(nm_step *step, void *blocks) {
  int ranks = nm_ranks(), rank = nm_rank();
  for (int apart = 1; apart < ranks; apart++) step(blocks, nm_around(rank + apart, ranks), nm_around(rank + ranks - apart, ranks));
}
