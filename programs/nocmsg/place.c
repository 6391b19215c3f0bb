// SPDX-License-Identifier: Apache-2.0
// Where ranks stand: the rectangle with the fewest tiles that holds them, as near to a square as there is.

#include <assert.h>
#include <stdlib.h>

#include "credits.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"

struct nm_place nm_here;

int nm_rank(void) { return nm_here.rank; }
int nm_ranks(void) { return nm_here.ranks; }
int nm_columns(void) { return nm_here.columns; }
int nm_rows(void) { return nm_here.rows; }
int nm_column(void) { return nm_here.column; }
int nm_row(void) { return nm_here.row; }

static int distance(int a, int b) { return a > b ? a - b : b - a; }

// Fewest tiles, then nearest to a square, then more columns than rows: as crates/noccl-program/src/placement.rs.
static int is_better(int columns, int rows, int than_columns, int than_rows) {
  int tiles = columns * rows, than_tiles = than_columns * than_rows;
  if (tiles != than_tiles) return tiles < than_tiles;
  int apart = distance(columns, rows), than_apart = distance(than_columns, than_rows);
  if (apart != than_apart) return apart < than_apart;
  return columns >= rows && than_columns < than_rows;
}

// The rectangle that holds all ranks.
static void find_rectangle(void) {
  nm_here.columns = noccl_columns();
  nm_here.rows = noccl_rows();
  for (int columns = 1; columns <= noccl_columns(); columns++) {
    for (int rows = 1; rows <= noccl_rows(); rows++) {
      if (columns * rows >= nm_here.ranks && is_better(columns, rows, nm_here.columns, nm_here.rows)) {
        nm_here.columns = columns;
        nm_here.rows = rows;
      }
    }
  }
  nm_here.rows = (nm_here.ranks + nm_here.columns - 1) / nm_here.columns;
}

void nm_init(void) {
  nm_here.rank = noccl_rank();
  nm_here.ranks = noccl_ranks();
  find_rectangle();
  nm_here.is_full = nm_here.columns * nm_here.rows == nm_here.ranks;
  nm_here.tiles = malloc(sizeof *nm_here.tiles * (size_t)nm_here.ranks);
  assert(nm_here.tiles && "memory for the tiles of all ranks");
  for (int rank = 0, row = 0; rank < nm_here.ranks; row++) {
    for (int column = 0; column < nm_here.columns && rank < nm_here.ranks; column++, rank++)
      nm_here.tiles[rank] = (uint16_t)(column | row << 8);
  }
  nm_here.column = nm_column_of(nm_here.rank);
  nm_here.row = nm_row_of(nm_here.rank);
  assert(nm_here.column == noccl_column() && nm_here.row == noccl_row());
  nm_init_units();
  nm_init_credits();
}
