// SPDX-License-Identifier: Apache-2.0
// NAS parallel benchmark FT: the heat equation in three periodic dimensions, in Fourier space.
//
// A field of random complex numbers is transformed once. Each iteration multiplies wave number k by
// exp(-4 alpha pi^2 |k|^2), transforms back, and sums 1024 elements. Each rank holds planes of z in space and rows of y
// in Fourier space; an MPI_Alltoall goes from one to the other. Three arrays of 16 nx ny nz / ranks bytes.

#include "ft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "npb.h"

#define MOST_ITERATIONS 6
#define ALPHA 1e-6
#define TOLERANCE 1e-12
#define SUMMED 1024

static const struct {
  int nx, ny, nz, iterations;
  // Known sums, real and imaginary part; none: 0.
  double sums[MOST_ITERATIONS][2];
} problem =
#if NPB_CLASS == 'S'
    {64, 64, 64, 6,
     {{554.6087004964, 484.5363331978},
      {554.6385409189, 486.5304269511},
      {554.6148406171, 488.3910722336},
      {554.5423607415, 490.1273169046},
      {554.4255039624, 491.7475857993},
      {554.2683411902, 493.2597244941}}};
#elif NPB_CLASS == 'W'
    {128, 128, 32, 6,
     {{567.3612178944, 529.3246849175},
      {563.1436885271, 528.2149986629},
      {559.4024089970, 527.0996558037},
      {556.0698047020, 526.0027904925},
      {553.0898991250, 524.9400845633},
      {550.4159734538, 523.9212247086}}};
#elif NPB_CLASS == 'A'
    {256, 256, 128, 6,
     {{504.6735008193, 511.4047905510},
      {505.9412319734, 509.8809666433},
      {506.9376896287, 509.8144042213},
      {507.7892868474, 510.1336130759},
      {508.5233095391, 510.4914655194},
      {509.1487099959, 510.7917842803}}};
#elif NPB_CLASS == 'X'
    {NPB_FT_NX, NPB_FT_NY, NPB_FT_NZ, MOST_ITERATIONS, {{0, 0}}};
#else
#error "FT has the classes S, W, A and X"
#endif

// Planes of z and rows of y of each rank.
static int planes, rows;
// In Fourier space [z][own y][x]; in space [own z][y][x]; as blocks that ranks exchange [rank][own z][own y][x].
static ft_complex *spectrum, *work, *received;
static long elements, block;
// Factors of an iteration, by wave number along each axis.
static double *factor_x, *factor_y, *factor_z;
// Rows of lines along x, y and z in space, in blocks, and in Fourier space; `back` for the inverse.
static long *along_x, *along_x_back, *along_y, *along_y_back, *blocks_y, *along_z, *along_z_back;

static double *factors(int length, int first, int count) {
  double *factor = malloc((size_t)count * sizeof *factor);
  for (int i = 0; factor && i < count; i++) {
    int wave = (first + i + length / 2) % length - length / 2;
    factor[i] = exp(-4 * ALPHA * M_PI * M_PI * wave * wave);
  }
  return factor;
}

// A run of `run` rows is `stride` apart, the next run `jump` behind its begin. The second table goes backwards.
static long *row_table(int length, int run, long stride, long jump, int is_back) {
  long *table = malloc((size_t)length * sizeof *table);
  for (int i = 0; table && i < length; i++) {
    int row = is_back ? (length - i) % length : i;
    table[i] = row % run * stride + row / run * jump;
  }
  return table;
}

static int prepare(void) {
  int nx = problem.nx, ny = problem.ny, nz = problem.nz;
  planes = nz / npb_ranks;
  rows = ny / npb_ranks;
  block = (long)planes * rows * nx;
  elements = block * npb_ranks;
  spectrum = malloc((size_t)elements * sizeof *spectrum);
  work = malloc((size_t)elements * sizeof *work);
  received = malloc((size_t)elements * sizeof *received);
  factor_x = factors(nx, 0, nx);
  factor_y = factors(ny, npb_rank * rows, rows);
  factor_z = factors(nz, 0, nz);
  along_x = row_table(nx, nx, 1, 0, 0);
  along_x_back = row_table(nx, nx, 1, 0, 1);
  along_y = row_table(ny, ny, nx, 0, 0);
  along_y_back = row_table(ny, ny, nx, 0, 1);
  blocks_y = row_table(ny, rows, nx, block, 0);
  along_z = row_table(nz, nz, (long)rows * nx, 0, 0);
  along_z_back = row_table(nz, nz, (long)rows * nx, 0, 1);
  int longest = nx > ny ? nx : ny;
  return spectrum && work && received && factor_x && factor_y && factor_z && along_x && along_x_back && along_y &&
         along_y_back && blocks_y && along_z && along_z_back && ft_prepare(longest > nz ? longest : nz);
}

// The sequence fills the whole field, x fastest.
static void fill(ft_complex *field) {
  uint64_t state = npb_jump(NPB_SEED, (uint64_t)2 * problem.nx * problem.ny * planes * npb_rank);
  npb_randoms(&state, (double *)field, 2 * elements);
}

static void exchange(const ft_complex *from, ft_complex *to) {
  int count = (int)(2 * block);
  MPI_Alltoall(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void transform_forth(void) {
  int nx = problem.nx, ny = problem.ny, nz = problem.nz;
  fill(work);
  ft_lines x = {along_x, nx}, y = {along_y, 1}, y_blocks = {blocks_y, 1}, z = {along_z, 1};
  ft_transform(nx, (long)planes * ny, work, x, work, x);
  for (int plane = 0; plane < planes; plane++)
    ft_transform(ny, nx, work + (long)plane * ny * nx, y, received + (long)plane * rows * nx, y_blocks);
  exchange(received, spectrum);
  ft_transform(nz, (long)rows * nx, spectrum, z, spectrum, z);
}

// Leaves the field in `work`.
static void transform_back(void) {
  int nx = problem.nx, ny = problem.ny, nz = problem.nz;
  ft_lines x = {along_x, nx}, x_back = {along_x_back, nx}, y_back = {along_y_back, 1}, y_blocks = {blocks_y, 1};
  ft_lines z = {along_z, 1}, z_back = {along_z_back, 1};
  ft_transform(nz, (long)rows * nx, spectrum, z, work, z_back);
  exchange(work, received);
  for (int plane = 0; plane < planes; plane++)
    ft_transform(ny, nx, received + (long)plane * rows * nx, y_blocks, work + (long)plane * ny * nx, y_back);
  ft_transform(nx, (long)planes * ny, work, x, work, x_back);
}

static void evolve(void) {
  ft_complex *restrict at = spectrum;
  for (int z = 0; z < problem.nz; z++)
    for (int y = 0; y < rows; y++) {
      double factor = factor_z[z] * factor_y[y];
      for (int x = 0; x < problem.nx; x++, at++) {
        double both = factor * factor_x[x];
        at->re *= both;
        at->im *= both;
      }
    }
}

static void checksum(double sum[2]) {
  double own[2] = {0, 0};
  for (int j = 1; j <= SUMMED; j++) {
    int x = j % problem.nx, y = 3 * j % problem.ny, z = 5 * j % problem.nz - npb_rank * planes;
    if (z < 0 || z >= planes) continue;
    ft_complex element = work[((long)z * problem.ny + y) * problem.nx + x];
    own[0] += element.re;
    own[1] += element.im;
  }
  MPI_Reduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  double points = (double)problem.nx * problem.ny * problem.nz;
  for (int part = 0; part < 2; part++) sum[part] /= points;
}

static void report(double sums[][2]) {
  for (int iteration = 0; iteration < problem.iterations; iteration++)
    for (int part = 0; part < 2; part++) {
      char name[32];
      snprintf(name, sizeof name, "checksum_%d_%s", iteration + 1, part ? "imaginary" : "real");
      double computed = sums[iteration][part];
      if (NPB_CLASS == 'X') {
        npb_value(name, computed);
      } else {
        npb_quantity(name, computed, problem.sums[iteration][part], TOLERANCE);
      }
    }
}

int main(void) {
  npb_init();
  if (problem.ny % npb_ranks || problem.nz % npb_ranks) {
    char needs[64];
    int fewer = problem.ny < problem.nz ? problem.ny : problem.nz;
    snprintf(needs, sizeof needs, "a power of two up to %d", fewer);
    return npb_refuse("FT", needs);
  }
  if (!prepare()) {
    char needs[64];
    long bytes = 3 * 16 * (long)problem.nx * problem.ny / npb_ranks * problem.nz;
    snprintf(needs, sizeof needs, "%ld bytes for the arrays of each rank", bytes);
    return npb_refuse("FT", needs);
  }
  npb_begin("FT");
  transform_forth();
  uint64_t begin = npb_now();
  transform_forth();
  double sums[MOST_ITERATIONS][2];
  for (int iteration = 0; iteration < problem.iterations; iteration++) {
    evolve();
    transform_back();
    checksum(sums[iteration]);
  }
  npb_elapsed(begin, npb_now());
  report(sums);
  return npb_end();
}
