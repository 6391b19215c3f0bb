// SPDX-License-Identifier: Apache-2.0
// CG: the smallest eigenvalue of a sparse matrix by inverse iteration, each step 25 iterations of conjugate gradients.
//
// Blocks of rows and columns on a grid of ranks, as many columns of ranks as rows, or twice as many. A rank has the part of a
// vector that belongs to its columns. Sums over a row of ranks are exchanges of messages, as published.

#include "cg.h"

#include <math.h>
#include <stdlib.h>

#include "npb.h"

#define STEPS 25
#define TOLERANCE 1e-10

// zeta is 0 if it is not known.
static const struct {
  int order, nonzeros, iterations;
  double shift, zeta;
} sizes =
#if NPB_CLASS == 'S'
    {1400, 7, 15, 10, 8.5971775078648};
#elif NPB_CLASS == 'W'
    {7000, 8, 15, 12, 10.362595087124};
#elif NPB_CLASS == 'A'
    {14000, 11, 15, 20, 17.130235054029};
#elif NPB_CLASS == 'X'
    {NPB_CG_ORDER, NPB_CG_NONZEROS, 15, NPB_CG_SHIFT, 0};
#else
#error "CG has the classes S, W, A and X"
#endif

static struct cg_matrix matrix;
static int grid_rows, grid_columns, grid_column, first_of_row, transposed;
// The part of a row's sums that this rank has when they are complete, from the first of its rows on.
static struct cg_range summed;
static double *x, *z, *p, *q, *r, *w;

// Part `number` of `parts` nearly equal ones: the first ones have one more.
static struct cg_range part(int all, int parts, int number) {
  int least = all / parts, longer = all % parts;
  return (struct cg_range){number * least + (number < longer ? number : longer), least + (number < longer)};
}

static void divide(void) {
  int log_ranks = 0;
  while (1 << (log_ranks + 1) <= npb_ranks) log_ranks++;
  grid_rows = 1 << log_ranks / 2;
  grid_columns = npb_ranks / grid_rows;
  int row = npb_rank / grid_columns;
  grid_column = npb_rank % grid_columns;
  first_of_row = row * grid_columns;
  matrix.rows = part(sizes.order, grid_rows, row);
  summed = (struct cg_range){0, matrix.rows.count};
  if (grid_columns == grid_rows) {
    matrix.columns = part(sizes.order, grid_columns, grid_column);
    transposed = grid_column * grid_columns + row;
    return;
  }
  // Two columns of ranks share the columns that belong to one row of ranks.
  struct cg_range both = part(sizes.order, grid_rows, grid_column / 2);
  matrix.columns = part(both.count, 2, grid_column % 2);
  matrix.columns.first += both.first;
  summed = part(matrix.rows.count, 2, grid_column % 2);
  transposed = grid_column / 2 * grid_columns + 2 * row + grid_column % 2;
}

static double *room(int count) {
  double *place = calloc((size_t)count, sizeof *place);
  if (!place) MPI_Abort(MPI_COMM_WORLD, 3);
  return place;
}

static void prepare(void) {
  if (!cg_make_matrix(&matrix, sizes.order, sizes.nonzeros, sizes.shift)) MPI_Abort(MPI_COMM_WORLD, 3);
  int rows = matrix.rows.count, columns = matrix.columns.count, most = rows > columns ? rows : columns;
  x = room(columns);
  z = room(columns);
  p = room(columns);
  r = room(columns);
  q = room(most);
  w = room(most);
}

static void exchange(int with, const double *send, int send_count, double *receive, int receive_count) {
  MPI_Request request;
  MPI_Irecv(receive, receive_count, MPI_DOUBLE, with, 1, MPI_COMM_WORLD, &request);
  MPI_Send(send, send_count, MPI_DOUBLE, with, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Sums of one or two numbers over the row of ranks: equal on all of them.
static void add_over_row(double *sum, int count) {
  for (int apart = grid_columns / 2; apart; apart /= 2) {
    double other[2];
    exchange(first_of_row + (grid_column ^ apart), sum, count, other, count);
    for (int i = 0; i < count; i++) sum[i] += other[i];
  }
}

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < matrix.columns.count; i++) sum += a[i] * b[i];
  add_over_row(&sum, 1);
  return sum;
}

// Adds the products of the row of ranks; with twice as many columns of ranks as rows, neighbours first halve them.
static void add_products(void) {
  for (int apart = 1; apart < grid_columns; apart *= 2) {
    struct cg_range send = summed;
    if (apart == 1 && grid_columns != grid_rows) {
      send.first = summed.first ? 0 : summed.count;
      send.count = matrix.rows.count - summed.count;
    }
    exchange(first_of_row + (grid_column ^ apart), w + send.first, send.count, q, summed.count);
    for (int i = 0; i < summed.count; i++) w[summed.first + i] += q[i];
  }
}

// q = A times a vector.
static void multiply(const double *vector) {
  const double *values = matrix.values;
  const int *column_of = matrix.column_of;
  for (int row = 0; row < matrix.rows.count; row++) {
    double sum = 0;
    for (int i = matrix.starts[row]; i < matrix.starts[row + 1]; i++) sum += values[i] * vector[column_of[i]];
    w[row] = sum;
  }
  add_products();
  if (grid_columns > 1) {
    exchange(transposed, w + summed.first, summed.count, q, matrix.columns.count);
  } else {
    for (int i = 0; i < matrix.columns.count; i++) q[i] = w[i];
  }
}

// z with A z = x, nearly.
static void solve(void) {
  int columns = matrix.columns.count;
  for (int i = 0; i < columns; i++) {
    z[i] = 0;
    r[i] = p[i] = x[i];
  }
  double rho = dot(r, r);
  for (int step = 0; step < STEPS; step++) {
    multiply(p);
    double alpha = rho / dot(p, q), before = rho;
    for (int i = 0; i < columns; i++) {
      z[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    rho = dot(r, r);
    double beta = rho / before;
    for (int i = 0; i < columns; i++) p[i] = r[i] + beta * p[i];
  }
  multiply(z);
  for (int i = 0; i < columns; i++) r[i] = x[i] - q[i];
  // The square of the rest's norm: part of the published work, not of its result.
  dot(r, r);
}

// The next estimate of the eigenvalue; x becomes the unit vector along z.
static double iterate(void) {
  double sums[2] = {0, 0};
  solve();
  for (int i = 0; i < matrix.columns.count; i++) {
    sums[0] += x[i] * z[i];
    sums[1] += z[i] * z[i];
  }
  add_over_row(sums, 2);
  double scale = 1 / sqrt(sums[1]);
  for (int i = 0; i < matrix.columns.count; i++) x[i] = scale * z[i];
  return sizes.shift + 1 / sums[0];
}

static void set_ones(void) {
  for (int i = 0; i < matrix.columns.count; i++) x[i] = 1;
}

int main(void) {
  npb_init();
  if (!npb_is_power_of_two(npb_ranks)) return npb_refuse("CG", NPB_POWER_OF_TWO);
  divide();
  if (grid_columns > sizes.order) return npb_refuse("CG", "a column per rank");
  npb_begin("CG");
  prepare();
  // As published, rank 0 tells how often to iterate.
  int iterations = sizes.iterations;
  MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD);
  // Once without time.
  set_ones();
  iterate();
  set_ones();
  double zeta = 0;
  uint64_t begin = npb_now();
  for (int iteration = 0; iteration < iterations; iteration++) zeta = iterate();
  npb_elapsed(begin, npb_now());
  if (sizes.zeta != 0) {
    npb_quantity("zeta", zeta, sizes.zeta, TOLERANCE);
  } else {
    npb_value("zeta", zeta);
  }
  return npb_end();
}
