// SPDX-License-Identifier: Apache-2.0
// LU: which points a rank holds, and the values with which it begins.

#include <stdlib.h>

#include "lu.h"

struct lu_grid lu;
lu_state *lu_u, *lu_residual, *lu_forcing;
lu_flow *lu_flows;

// The exact solution is a polynomial of degree four along each axis: constant, x, y, z, x^2, y^2, z^2, x^3, ... z^4.
static const double polynomials[5][13] = {
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
};

// The part of `points` that one of `parts` holds: the first ones have one more.
static int divide(int points, int parts, int part, int *first) {
  int each = points / parts, more = points % parts;
  *first = part * each + (part < more ? part : more);
  return each + (part < more);
}

int lu_divide(void) {
  int rows = 1;
  for (int r = 1; r * r <= npb_ranks; r++)
    if (npb_ranks % r == 0) rows = r;
  lu.rows = rows;
  lu.columns = npb_ranks / rows;
  lu.column = npb_rank % lu.columns;
  lu.row = npb_rank / lu.columns;
  if (lu.columns > 2 * rows || LU_POINTS / lu.columns < LU_FEWEST) return 0;
  lu.widest = (LU_POINTS + rows - 1) / rows;
  lu.nx = divide(LU_POINTS, lu.columns, lu.column, &lu.first_x);
  lu.ny = divide(LU_POINTS, lu.rows, lu.row, &lu.first_y);
  int is_first[2] = {lu.column == 0, lu.row == 0};
  int is_last[2] = {lu.column == lu.columns - 1, lu.row == lu.rows - 1};
  int apart[2] = {1, lu.columns};
  for (int axis = 0; axis < 2; axis++) {
    lu.before[axis] = is_first[axis] ? -1 : npb_rank - apart[axis];
    lu.behind[axis] = is_last[axis] ? -1 : npb_rank + apart[axis];
  }
  lu.begin_x = is_first[0];
  lu.end_x = lu.nx - is_last[0];
  lu.begin_y = is_first[1];
  lu.end_y = lu.ny - is_last[1];
  lu.stride[0] = 1;
  lu.stride[1] = lu.nx + 4;
  lu.stride[2] = lu.stride[1] * (lu.ny + 4);
  return 1;
}

long lu_bytes;
static int is_out_of_memory;

void *lu_array(long elements, size_t bytes_each) {
  void *array = calloc((size_t)elements, bytes_each);
  lu_bytes += elements * (long)bytes_each;
  if (!array) is_out_of_memory = 1;
  return array;
}

int lu_allocate(void) {
  int widest_x = (LU_POINTS + lu.columns - 1) / lu.columns;
  long plane = (long)(widest_x + 4) * (lu.widest + 4), elements = plane * LU_POINTS;
  // Fourth differences reach one plane beyond the cube along z, with weight 0.
  long unknowns = plane * (LU_POINTS + 2);
  lu_u = lu_array(unknowns, sizeof *lu_u);
  lu_residual = lu_array(elements, sizeof *lu_residual);
  lu_forcing = lu_array(elements, sizeof *lu_forcing);
  lu_flows = lu_array(elements, sizeof *lu_flows);
  lu_allocate_sums();
  lu_allocate_layers();
  lu_allocate_sides();
  if (is_out_of_memory) return 0;
  // Corners of the layers around are never sent: a gas at rest.
  for (long at = 0; at < unknowns; at++) lu_u[at][0] = 1;
  lu_u += lu.stride[2];
  return 1;
}

// Indices of the whole grid.
void lu_exact(int i, int j, int k, lu_state u) {
  const double step = 1.0 / (LU_POINTS - 1);
  const double place[3] = {i * step, j * step, k * step};
  LU_FIVE {
    const double *c = polynomials[m];
    u[m] = c[0];
    LU_THREE u[m] += (c[1 + d] + (c[4 + d] + (c[7 + d] + c[10 + d] * place[d]) * place[d]) * place[d]) * place[d];
  }
}

void lu_set_exact(void) {
  for (int k = 0; k < LU_POINTS; k++)
    for (int j = 0; j < lu.ny; j++)
      for (int i = 0; i < lu.nx; i++) lu_exact(lu.first_x + i, lu.first_y + j, k, lu_u[lu_index(i, j, k)]);
}

// Linear between the two faces along each axis, combined so that all six faces keep their values.
static void between_faces(int i, int j, int k, lu_state u) {
  const int last = LU_POINTS - 1, place[3] = {i, j, k};
  lu_state along[3];
  LU_THREE {
    lu_state low, high;
    int at[3] = {i, j, k};
    at[d] = 0;
    lu_exact(at[0], at[1], at[2], low);
    at[d] = last;
    lu_exact(at[0], at[1], at[2], high);
    double share = (double)place[d] / last;
    LU_FIVE along[d][m] = (1 - share) * low[m] + share * high[m];
  }
  LU_FIVE {
    double x = along[0][m], y = along[1][m], z = along[2][m];
    u[m] = x + y + z - x * y - y * z - z * x + x * y * z;
  }
}

void lu_set_initial(void) {
  const int last = LU_POINTS - 1;
  for (int k = 0; k < LU_POINTS; k++)
    for (int j = 0; j < lu.ny; j++)
      for (int i = 0; i < lu.nx; i++) {
        int x = lu.first_x + i, y = lu.first_y + j;
        int is_face = x == 0 || x == last || y == 0 || y == last || k == 0 || k == last;
        (is_face ? lu_exact : between_faces)(x, y, k, lu_u[lu_index(i, j, k)]);
      }
}
