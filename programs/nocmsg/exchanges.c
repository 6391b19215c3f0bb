// SPDX-License-Identifier: Apache-2.0
// Exchanges: everybody has a block for everybody (docs/core_algorithms.md).

#include <string.h>

#include "nocmsg.h"
#include "place.h"

void nm_exchange(nm_step *step, void *blocks) {
  int ranks = nm_ranks(), rank = nm_rank(), columns = nm_columns(), rows = nm_rows();
  if (!nm_is_full()) {
    for (int apart = 1; apart < ranks; apart++) step(blocks, (rank + apart) % ranks, (rank + ranks - apart) % ranks);
    return;
  }
  // Step (a, b): to the tile a columns and b rows on, around the edge.
  int x = nm_column(), y = nm_row();
  for (int a = 0; a < columns; a++) {
    for (int b = a ? 0 : 1; b < rows; b++) {
      int to = nm_rank_at((x + a) % columns, (y + b) % rows);
      int from = nm_rank_at((x + columns - a) % columns, (y + rows - b) % rows);
      step(blocks, to, from);
    }
  }
}

// A class of S4's rounds: all pairs that are a columns and b rows apart, one way and the other.
struct class {
  int a, b, subrounds;
  const char *send;
  char *receive;
  size_t block_bytes;
};

static int is_inside(int column, int row) {
  return column >= 0 && column < nm_columns() && row >= 0 && row < nm_rows();
}

static int colour(int column, int row, int colours) { return (column + row) % colours; }

// To the partner at this displacement, and from the one at the opposite one, if they act in the subround.
static void send_to(const struct class *class, int side, int subround) {
  int x = nm_column(), y = nm_row(), column = x + side * class->a, row = y + side * class->b;
  if (!is_inside(column, row) || colour(x, y, class->subrounds) != subround) return;
  int to = nm_rank_at(column, row);
  nm_send(to, class->send + (size_t)to * class->block_bytes, class->block_bytes);
}

static void receive_from(const struct class *class, int side, int subround) {
  int column = nm_column() - side * class->a, row = nm_row() - side * class->b;
  if (!is_inside(column, row) || colour(column, row, class->subrounds) != subround) return;
  int from = nm_rank_at(column, row);
  nm_receive(from, class->receive + (size_t)from * class->block_bytes, class->block_bytes);
}

static void play(struct class class) {
  for (int subround = 0; subround < class.subrounds; subround++) {
    for (int side = 1; side >= -1; side -= 2) send_to(&class, side, subround);
    for (int side = 1; side >= -1; side -= 2) receive_from(&class, side, subround);
  }
}

static int fewer(int apart, int all) { return apart < all - apart ? apart : all - apart; }

// Both rounds of a displacement, or the one of a direct one; nothing beyond the rectangle.
static void displacement(struct class class, int a, int b) {
  if (a >= nm_columns() || b >= nm_rows()) return;
  int across = a ? fewer(a, nm_columns()) : 0, along = b ? fewer(b, nm_rows()) : 0;
  class.subrounds = across > along ? across : along;
  if (class.subrounds < 1) class.subrounds = 1;
  class.a = a;
  class.b = b;
  play(class);
  if (a && b) {
    class.b = -b;
    play(class);
  }
}

void nm_all_to_all_rounds(const void *send, void *receive, size_t block_bytes) {
  if (!nm_is_full()) {
    nm_all_to_all(send, receive, block_bytes);
    return;
  }
  int rank = nm_rank();
  struct class class = {0, 0, 1, send, receive, block_bytes};
  memcpy((char *)receive + (size_t)rank * block_bytes, (const char *)send + (size_t)rank * block_bytes, block_bytes);
  int most = nm_columns() > nm_rows() ? nm_columns() : nm_rows();
  for (int m = 1; m < most; m++) {
    displacement(class, m, 0);
    displacement(class, 0, m);
    for (int b = 1; b < m; b++) displacement(class, m, b);
    for (int a = 1; a < m; a++) displacement(class, a, m);
    displacement(class, m, m);
  }
}
