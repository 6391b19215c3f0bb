// SPDX-License-Identifier: Apache-2.0
// LU: what is verified: norms, and an integral of the pressure over a surface.

#include <math.h>

#include "lu.h"

// Roots of means over all ranks.
static void finish_norms(const double own[5], double norms[5]) {
  const double points = (LU_POINTS - 2.0) * (LU_POINTS - 2.0) * (LU_POINTS - 2.0);
  MPI_Allreduce(own, norms, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  LU_FIVE norms[m] = sqrt(norms[m] / points);
}

void lu_norms(lu_state *field, double norms[5]) {
  lu_state own = {0};
  for (int k = 1; k < LU_POINTS - 1; k++)
    for (int j = lu.begin_y; j < lu.end_y; j++)
      for (int i = lu.begin_x; i < lu.end_x; i++) {
        const double *values = field[lu_index(i, j, k)];
        LU_FIVE own[m] += values[m] * values[m];
      }
  finish_norms(own, norms);
}

void lu_error_norms(double norms[5]) {
  lu_state own = {0};
  for (int k = 1; k < LU_POINTS - 1; k++)
    for (int j = lu.begin_y; j < lu.end_y; j++)
      for (int i = lu.begin_x; i < lu.end_x; i++) {
        const double *u = lu_u[lu_index(i, j, k)];
        lu_state exact;
        lu_exact(lu.first_x + i, lu.first_y + j, k, exact);
        LU_FIVE own[m] += (exact[m] - u[m]) * (exact[m] - u[m]);
      }
  finish_norms(own, norms);
}

// The box whose surface is integrated over, in indices of the whole cube: x, y, z.
static const int box_low[3] = {1, 1, 2}, box_high[3] = {LU_POINTS - 2, LU_POINTS - 3, LU_POINTS - 2};

// The pressure on two opposite sides of the box, with a line beyond the own points: [b][a][side]. For sides across x the
// axes are y and z, for y they are x and z, for z they are x and y.
static double (*sides)[2];
static double line_sent[(LU_POINTS + 1)][2], line_received[(LU_POINTS + 1)][2];

// Of b, in elements.
static long row_of(void) { return lu.widest + 1; }

void lu_allocate_sides(void) { sides = lu_array(row_of() * (LU_POINTS + 1), sizeof *sides); }

static double pressure(int i, int j, int k) {
  const double *u = lu_u[lu_index(i, j, k)];
  return LU_GAMMA_1 * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

// Of an axis of a side: own points, the first one's index, neighbours.
struct extent {
  int own, first, before, behind;
};

static struct extent extent_of(int axis) {
  if (axis == 0) return (struct extent){lu.nx, lu.first_x, lu.before[0], lu.behind[0]};
  if (axis == 1) return (struct extent){lu.ny, lu.first_y, lu.before[1], lu.behind[1]};
  return (struct extent){LU_POINTS, 0, -1, -1};
}

static void fill_side(int axis, int axis_a, int axis_b, int side) {
  struct extent extent = extent_of(axis), a = extent_of(axis_a), b = extent_of(axis_b);
  int place[3];
  place[axis] = (side ? box_high : box_low)[axis] - extent.first;
  int is_own = place[axis] >= 0 && place[axis] < extent.own;
  for (place[axis_b] = 0; place[axis_b] < b.own; place[axis_b]++)
    for (place[axis_a] = 0; place[axis_a] < a.own; place[axis_a]++)
      sides[place[axis_b] * row_of() + place[axis_a]][side] =
          is_own ? pressure(place[0], place[1], place[2]) : 0;
}

// The line at the begin of the next rank becomes the one beyond the own points: `count` points, `stride` apart.
static void fetch_line(struct extent extent, long across, long stride, int count) {
  for (int at = 0; at < count; at++)
    for (int side = 0; side < 2; side++) line_sent[at][side] = sides[at * stride][side];
  lu_shift(extent.before, line_sent[0], extent.behind, line_received[0], 2 * count);
  if (extent.behind < 0) return;
  for (int at = 0; at < count; at++)
    for (int side = 0; side < 2; side++) sides[extent.own * across + at * stride][side] = line_received[at][side];
}

static int is_in_box(int axis, int index) { return index >= box_low[axis] && index < box_high[axis]; }

// The mean of a cell's four corners, summed over the own cells of both sides.
static double sum_cells(int axis_a, int axis_b) {
  const long row = row_of();
  struct extent a = extent_of(axis_a), b = extent_of(axis_b);
  double sum = 0;
  for (int y = 0; y < b.own; y++)
    for (int x = 0; x < a.own; x++) {
      if (!is_in_box(axis_a, a.first + x) || !is_in_box(axis_b, b.first + y)) continue;
      for (int side = 0; side < 2; side++) {
        long at = y * row + x;
        sum += sides[at][side] + sides[at + 1][side] + sides[at + row][side] + sides[at + row + 1][side];
      }
    }
  return 0.25 * sum;
}

static double integral_of_sides(int axis, int axis_a, int axis_b) {
  const long row = row_of();
  struct extent extent = extent_of(axis), a = extent_of(axis_a), b = extent_of(axis_b);
  int holds_low = box_low[axis] >= extent.first && box_low[axis] < extent.first + extent.own;
  int holds_high = box_high[axis] >= extent.first && box_high[axis] < extent.first + extent.own;
  double own = 0, all;
  if (holds_low || holds_high) {
    for (int side = 0; side < 2; side++) fill_side(axis, axis_a, axis_b, side);
    if (axis_b < 2) fetch_line(b, row, 1, a.own);
    // With the line that has just come: its end is the corner.
    fetch_line(a, 1, row, b.own + (b.behind >= 0));
    own = sum_cells(axis_a, axis_b);
  }
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

double lu_surface_integral(void) {
  const double step = 1.0 / (LU_POINTS - 1);
  double sum = integral_of_sides(2, 0, 1) + integral_of_sides(1, 0, 2) + integral_of_sides(0, 1, 2);
  return sum * step * step;
}
