// SPDX-License-Identifier: Apache-2.0
// Every rank draws all vectors and keeps the products that lie in its block.

#include "cg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "npb.h"

#define RCOND 0.1
#define MOST_NONZEROS 32

// A sparse vector.
struct vector {
  int count;
  int places[MOST_NONZEROS + 1];
  double values[MOST_NONZEROS + 1];
};

static int is_in(struct cg_range range, int place) { return place >= range.first && place < range.first + range.count; }

static int find(const struct vector *vector, int place) {
  int at = 0;
  while (at < vector->count && vector->places[at] != place) at++;
  return at;
}

// Pairs of numbers: a value and its place among the next power of two; places beyond the order and repeated ones are left out.
static void draw(struct vector *vector, uint64_t *state, int order, int nonzeros) {
  int log_room = 0;
  while (1 << log_room < order) log_room++;
  vector->count = 0;
  while (vector->count < nonzeros) {
    double value = npb_random(state);
    *state = npb_multiply(*state, NPB_A);
    int place = (int)(*state >> (46 - log_room));
    if (place >= order || find(vector, place) < vector->count) continue;
    vector->places[vector->count] = place;
    vector->values[vector->count++] = value;
  }
}

// The vector i has the element i, 1/2.
static void set_own(struct vector *vector, int i) {
  int at = find(vector, i);
  vector->places[at] = i;
  vector->values[at] = 0.5;
  if (at == vector->count) vector->count++;
}

struct draft {
  struct cg_matrix *matrix;
  int order, nonzeros;
  // Where the next element of each row goes, repeated ones included.
  int *next;
};

// Counts the elements that a vector adds to each row, or adds them.
static void add_products(struct draft *draft, const struct vector *vector, double size, int is_count) {
  struct cg_matrix *matrix = draft->matrix;
  for (int i = 0; i < vector->count; i++) {
    if (!is_in(matrix->rows, vector->places[i])) continue;
    int row = vector->places[i] - matrix->rows.first;
    for (int j = 0; j < vector->count; j++) {
      if (!is_in(matrix->columns, vector->places[j])) continue;
      int to = draft->next[row]++;
      if (is_count) continue;
      matrix->column_of[to] = vector->places[j] - matrix->columns.first;
      matrix->values[to] = vector->values[i] * (size * vector->values[j]);
    }
  }
}

static void add_all(struct draft *draft, double diagonal, int is_count) {
  struct cg_matrix *matrix = draft->matrix;
  // The first number of the sequence is not used.
  uint64_t state = npb_jump(NPB_SEED, 1);
  double size = 1, ratio = pow(RCOND, 1.0 / draft->order);
  for (int i = 0; i < draft->order; i++, size *= ratio) {
    struct vector vector;
    draw(&vector, &state, draft->order, draft->nonzeros);
    set_own(&vector, i);
    add_products(draft, &vector, size, is_count);
  }
  for (int row = 0; row < matrix->rows.count; row++) {
    int place = matrix->rows.first + row;
    if (!is_in(matrix->columns, place)) continue;
    int to = draft->next[row]++;
    if (is_count) continue;
    matrix->column_of[to] = place - matrix->columns.first;
    matrix->values[to] = diagonal;
  }
}

// Adds up elements at the same place; `places` has a number per column, all -1.
static void merge(struct cg_matrix *matrix, int *places) {
  int kept = 0;
  for (int row = 0; row < matrix->rows.count; row++) {
    int begin = matrix->starts[row], end = matrix->starts[row + 1], first = kept;
    matrix->starts[row] = first;
    for (int from = begin; from < end; from++) {
      int *place = &places[matrix->column_of[from]];
      if (*place >= first) {
        matrix->values[*place] += matrix->values[from];
        continue;
      }
      *place = kept;
      matrix->column_of[kept] = matrix->column_of[from];
      matrix->values[kept++] = matrix->values[from];
    }
  }
  matrix->starts[matrix->rows.count] = kept;
}

int cg_make_matrix(struct cg_matrix *matrix, int order, int nonzeros, double shift) {
  size_t rows = (size_t)matrix->rows.count, columns = (size_t)matrix->columns.count;
  int *next = calloc(rows + 1, sizeof *next), *places = malloc((columns + 1) * sizeof *places);
  matrix->starts = malloc((rows + 1) * sizeof *matrix->starts);
  if (!next || !places || !matrix->starts) return 0;
  struct draft draft = {matrix, order, nonzeros, next};
  add_all(&draft, 0, 1);
  matrix->starts[0] = 0;
  for (size_t row = 0; row < rows; row++) {
    matrix->starts[row + 1] = matrix->starts[row] + next[row];
    next[row] = matrix->starts[row];
  }
  size_t elements = (size_t)matrix->starts[rows];
  matrix->column_of = malloc((elements + 1) * sizeof *matrix->column_of);
  matrix->values = malloc((elements + 1) * sizeof *matrix->values);
  if (!matrix->column_of || !matrix->values) return 0;
  add_all(&draft, RCOND - shift, 0);
  for (size_t column = 0; column < columns; column++) places[column] = -1;
  merge(matrix, places);
  free(next);
  free(places);
  return 1;
}
