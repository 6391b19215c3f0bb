// SPDX-License-Identifier: Apache-2.0
// Exchanges: everybody has a block for everybody (docs/core_algorithms.md).

#include <string.h>

#include "nocmsg.h"
#include "place.h"

// To the rank so many on, from the one so many back.
static void exchange_in_order(nm_step *step, void *blocks) {
  int ranks = nm_here.ranks, rank = nm_here.rank;
  for (int apart = 1; apart < ranks; apart++) step(blocks, nm_around(rank + apart, ranks), nm_around(rank + ranks - apart, ranks));
}

void nm_exchange(nm_step *step, void *blocks) {
  if (!nm_here.is_full) {
    exchange_in_order(step, blocks);
    return;
  }
  // Step (a, b): to the tile a columns and b rows on, around the edge; b up, then down.
  int columns = nm_here.columns, rows = nm_here.rows, x = nm_here.column, y = nm_here.row;
  for (int a = 0; a < columns; a++) {
    int to_column = nm_around(x + a, columns), from_column = nm_around(x + columns - a, columns);
    for (int place = a ? 0 : 1; place < rows; place++) {
      int b = a % 2 ? rows - 1 - place : place;
      int to = nm_rank_at(to_column, nm_around(y + b, rows));
      int from = nm_rank_at(from_column, nm_around(y + rows - b, rows));
      step(blocks, to, from);
    }
  }
}

// A class of S4's rounds: all pairs that are a columns and b rows apart, in both directions.
struct class {
  int a, b, subrounds;
  const char *send;
  char *receive;
  size_t block_bytes;
};

static int is_inside(int column, int row) {
  return column >= 0 && column < nm_here.columns && row >= 0 && row < nm_here.rows;
}

// The rank at a displacement from this one, or -1.
static int rank_apart(int a, int b) {
  int column = nm_here.column + a, row = nm_here.row + b;
  return is_inside(column, row) ? nm_rank_at(column, row) : -1;
}

// The subround in which a rank sends: its colour.
static int subround_of(int rank, int subrounds) {
  if (subrounds == 1) return 0;
  int place = nm_column_of(rank) + nm_row_of(rank);
  // Seldom more than twice, and a division takes longer.
  while (place >= subrounds) place -= subrounds;
  return place;
}

// To the partners at this displacement and at the opposite one, and from them, each in the subround of who sends.
static void play(const struct class *class) {
  int there = rank_apart(class->a, class->b), back = rank_apart(-class->a, -class->b);
  int of_there = there < 0 ? -1 : subround_of(there, class->subrounds);
  int of_back = back < 0 ? -1 : subround_of(back, class->subrounds);
  int own = subround_of(nm_here.rank, class->subrounds);
  size_t bytes = class->block_bytes;
  if (bytes > NM_SHORT_BYTES && there >= 0) nm_expect(there, class->receive + (size_t)there * bytes, bytes);
  if (bytes > NM_SHORT_BYTES && back >= 0) nm_expect(back, class->receive + (size_t)back * bytes, bytes);
  for (int subround = 0; subround < class->subrounds; subround++) {
    if (subround == own && there >= 0) nm_send(there, class->send + (size_t)there * bytes, bytes);
    if (subround == own && back >= 0) nm_send(back, class->send + (size_t)back * bytes, bytes);
    if (subround == of_back) nm_receive(back, class->receive + (size_t)back * bytes, bytes);
    if (subround == of_there) nm_receive(there, class->receive + (size_t)there * bytes, bytes);
  }
}

static int fewer(int apart, int all) { return apart < all - apart ? apart : all - apart; }

// Both rounds of a displacement, or the one of a direct one; nothing beyond the rectangle.
static void displacement(struct class *class, int a, int b) {
  if (a >= nm_here.columns || b >= nm_here.rows) return;
  int across = a ? fewer(a, nm_here.columns) : 0, along = b ? fewer(b, nm_here.rows) : 0;
  class->subrounds = across > along ? across : along;
  if (class->subrounds < 1) class->subrounds = 1;
  class->a = a;
  class->b = b;
  play(class);
  if (a && b) {
    class->b = -b;
    play(class);
  }
}

void nm_all_to_all_rounds(const void *send, void *receive, size_t block_bytes) {
  if (!nm_here.is_full) {
    nm_all_to_all(send, receive, block_bytes);
    return;
  }
  int rank = nm_here.rank;
  struct class class = {0, 0, 1, send, receive, block_bytes};
  memcpy((char *)receive + (size_t)rank * block_bytes, (const char *)send + (size_t)rank * block_bytes, block_bytes);
  int most = nm_here.columns > nm_here.rows ? nm_here.columns : nm_here.rows;
  for (int m = 1; m < most; m++) {
    displacement(&class, m, 0);
    displacement(&class, 0, m);
    for (int b = 1; b < m; b++) displacement(&class, m, b);
    for (int a = 1; a < m; a++) displacement(&class, a, m);
    displacement(&class, m, m);
  }
}
