// SPDX-License-Identifier: Apache-2.0
// Where ranks stand: the rectangle with the fewest tiles that holds them, as near to a square as there is.

#include <assert.h>

#include "noccl.h"
#include "nocmsg.h"
#include "place.h"

static struct {
  int rank, ranks, columns, rows;
} here;

int nm_rank(void) { return here.rank; }
int nm_ranks(void) { return here.ranks; }
int nm_columns(void) { return here.columns; }
int nm_rows(void) { return here.rows; }
int nm_column(void) { return here.rank % here.columns; }
int nm_row(void) { return here.rank / here.columns; }

static int distance(int a, int b) { return a > b ? a - b : b - a; }

// Fewest tiles, then nearest to a square, then more columns than rows: as crates/noccl-program/src/placement.rs.
static int is_better(int columns, int rows, int than_columns, int than_rows) {
  int tiles = columns * rows, than_tiles = than_columns * than_rows;
  if (tiles != than_tiles) return tiles < than_tiles;
  int apart = distance(columns, rows), than_apart = distance(than_columns, than_rows);
  if (apart != than_apart) return apart < than_apart;
  return columns >= rows && than_columns < than_rows;
}

void nm_init(void) {
  here.rank = noccl_rank();
  here.ranks = noccl_ranks();
  here.columns = noccl_columns();
  here.rows = noccl_rows();
  for (int columns = 1; columns <= noccl_columns(); columns++) {
    for (int rows = 1; rows <= noccl_rows(); rows++) {
      if (columns * rows >= here.ranks && is_better(columns, rows, here.columns, here.rows)) {
        here.columns = columns;
        here.rows = rows;
      }
    }
  }
  here.rows = (here.ranks + here.columns - 1) / here.columns;
  assert(nm_column() == noccl_column() && nm_row() == noccl_row());
  nm_init_units();
}

int nm_rank_at(int column, int row) { return row * here.columns + column; }

int nm_is_full(void) { return here.columns * here.rows == here.ranks; }
