// SPDX-License-Identifier: Apache-2.0
// MG's operators on a level and between two levels, and the cycle of them.

#include <stdlib.h>
#include <string.h>

#include "mg.h"
#include "npb.h"

// The operator A and the smoother, by how many coordinates of two points differ.
static const double a[4] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12}, smoother[4] = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};

double *mg_u[MG_MOST_LEVELS], *mg_r[MG_MOST_LEVELS], *mg_v;

// Two rows of the finest level.
static double *sums;
static int top;

static double *room(size_t count) {
  double *place = calloc(count, sizeof *place);
  if (!place) MPI_Abort(MPI_COMM_WORLD, 3);
  return place;
}

void mg_prepare(int finest) {
  top = finest;
  for (int level = 1; level <= top; level++) {
    mg_u[level] = room(mg_points(level));
    mg_r[level] = room(mg_points(level));
  }
  mg_v = room(mg_points(top));
  sums = room(2 * (size_t)mg_levels[top].n[0]);
}

void mg_clear(double *grid, int level) { memset(grid, 0, mg_points(level) * sizeof *grid); }

// Sums of a row's neighbours across it: of the four beside it, of the four beyond those.
static void add_rows(const double *row, long line, long plane, int n, double *beside, double *beyond) {
  for (int i = 0; i < n; i++) {
    beside[i] = row[i - line] + row[i + line] + row[i - plane] + row[i + plane];
    beyond[i] = row[i - line - plane] + row[i + line - plane] + row[i - line + plane] + row[i + line + plane];
  }
}

// result = charges - A solution.
void mg_residual(const double *solution, const double *charges, double *result, int level) {
  const int *n = mg_levels[level].n;
  long line = n[0], plane = line * n[1];
  double *beside = sums, *beyond = sums + n[0];
  for (int k = 1; k < n[2] - 1; k++) {
    for (int j = 1; j < n[1] - 1; j++) {
      long start = k * plane + j * line;
      const double *row = solution + start;
      add_rows(row, line, plane, n[0], beside, beyond);
      for (int i = 1; i < n[0] - 1; i++)
        result[start + i] = charges[start + i] - a[0] * row[i] - a[2] * (beyond[i] + beside[i - 1] + beside[i + 1]) -
                            a[3] * (beyond[i - 1] + beyond[i + 1]);
    }
  }
  mg_exchange(result, level);
}

// solution += smoother of the residual.
static void smooth(const double *rest, double *solution, int level) {
  const int *n = mg_levels[level].n;
  long line = n[0], plane = line * n[1];
  double *beside = sums, *beyond = sums + n[0];
  for (int k = 1; k < n[2] - 1; k++) {
    for (int j = 1; j < n[1] - 1; j++) {
      long start = k * plane + j * line;
      const double *row = rest + start;
      add_rows(row, line, plane, n[0], beside, beyond);
      for (int i = 1; i < n[0] - 1; i++)
        solution[start + i] = solution[start + i] + smoother[0] * row[i] +
                              smoother[1] * (row[i - 1] + row[i + 1] + beside[i]) +
                              smoother[2] * (beyond[i] + beside[i - 1] + beside[i + 1]);
    }
  }
  mg_exchange(solution, level);
}

// A part with one point across an axis, at the finer level: that point is at the place of the coarser level's point.
static int shift_of(const struct mg_level *finer, int axis) { return finer->n[axis] == 3; }

// The residual of the next coarser level: means over the 27 points around every second one, weights 1/2 to 1/16.
static void restrict_to_coarser(int level) {
  const struct mg_level *finer = &mg_levels[level], *coarser = &mg_levels[level - 1];
  const int *n = finer->n, *m = coarser->n;
  long line = n[0], plane = line * n[1];
  double *beside = sums, *beyond = sums + n[0], *to = mg_r[level - 1];
  for (int k = 1; k < m[2] - 1; k++) {
    for (int j = 1; j < m[1] - 1; j++) {
      const double *row = mg_r[level] + (2 * k - shift_of(finer, 2)) * plane + (2 * j - shift_of(finer, 1)) * line;
      add_rows(row, line, plane, n[0], beside, beyond);
      double *to_row = to + ((long)k * m[1] + j) * m[0];
      for (int coarse = 1; coarse < m[0] - 1; coarse++) {
        int i = 2 * coarse - shift_of(finer, 0);
        to_row[coarse] = 0.5 * row[i] + 0.25 * (row[i - 1] + row[i + 1] + beside[i]) +
                         0.125 * (beside[i - 1] + beside[i + 1] + beyond[i]) +
                         0.0625 * (beyond[i - 1] + beyond[i + 1]);
      }
    }
  }
  mg_exchange(to, level - 1);
}

// Mean of the rows of the coarser level around a row of the finer one, in doubled coordinates.
static void mean_of_rows(const double *from, const int *m, int j, int k, double *mean) {
  const double *row = from + ((long)(k / 2) * m[1] + j / 2) * m[0];
  long line = m[0], plane = line * m[1];
  for (int i = 0; i < m[0]; i++) {
    if (j % 2 && k % 2) {
      mean[i] = 0.25 * (row[i] + row[i + line] + row[i + plane] + row[i + line + plane]);
    } else {
      mean[i] = j % 2 ? 0.5 * (row[i] + row[i + line]) : k % 2 ? 0.5 * (row[i] + row[i + plane]) : row[i];
    }
  }
}

// Adds the coarser level's solution, with means between its points.
static void interpolate(int level) {
  const struct mg_level *finer = &mg_levels[level], *coarser = &mg_levels[level - 1];
  const int *n = finer->n;
  int shift = shift_of(finer, 0);
  for (int k = 0; coarser->is_alive && k < n[2]; k++) {
    for (int j = 0; j < n[1]; j++) {
      double *mean = sums, *row = mg_u[level] + ((long)k * n[1] + j) * n[0];
      mean_of_rows(mg_u[level - 1], coarser->n, j + shift_of(finer, 1), k + shift_of(finer, 2), mean);
      for (int i = 0; i < n[0]; i++) {
        int at = i + shift, coarse = at / 2;
        row[i] += at % 2 ? 0.5 * (mean[coarse] + mean[coarse + 1]) : mean[coarse];
      }
    }
  }
  mg_hand_over(mg_u[level], level);
}

void mg_cycle(void) {
  for (int level = top; level > 1; level--) restrict_to_coarser(level);
  mg_clear(mg_u[1], 1);
  smooth(mg_r[1], mg_u[1], 1);
  for (int level = 2; level < top; level++) {
    mg_clear(mg_u[level], level);
    interpolate(level);
    mg_residual(mg_u[level], mg_r[level], mg_r[level], level);
    smooth(mg_r[level], mg_u[level], level);
  }
  interpolate(top);
  mg_residual(mg_u[top], mg_v, mg_r[top], top);
  smooth(mg_r[top], mg_u[top], top);
}

