// SPDX-License-Identifier: Apache-2.0
// MG: four V-cycles of a multigrid method for Poisson's equation on a periodic cube, with ten charges of each sign.

#include "mg.h"

#include <math.h>
#include <string.h>

#include "npb.h"

#define ITERATIONS 4
#define CHARGES 10
#define TOLERANCE 1e-8

// Binary logarithm of the points per side; the norm of the residual at the end, 0 if it is not known.
static const struct {
  int log_side;
  double norm;
} sizes =
#if NPB_CLASS == 'S'
    {5, 0.5307707005734e-04};
#elif NPB_CLASS == 'W'
    {7, 0.6467329375339e-05};
#elif NPB_CLASS == 'A'
    {8, 0.2433365309069e-05};
#elif NPB_CLASS == 'X'
    {NPB_MG_LOG_SIDE, 0};
#else
#error "MG has the classes S, W, A and X"
#endif

#define TOP (sizes.log_side)

// Of all ranks: the root of the mean square, and the largest value, which NPB exchanges, too.
static double norm_of(const double *grid) {
  const int *n = mg_levels[TOP].n;
  double own[2] = {0, 0}, sum, largest;
  for (int k = 1; k < n[2] - 1; k++) {
    for (int j = 1; j < n[1] - 1; j++) {
      const double *row = grid + ((long)k * n[1] + j) * n[0];
      for (int i = 1; i < n[0] - 1; i++) {
        own[0] += row[i] * row[i];
        if (fabs(row[i]) > own[1]) own[1] = fabs(row[i]);
      }
    }
  }
  MPI_Allreduce(&own[1], &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&own[0], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  double side = 1 << TOP;
  return sqrt(sum / (side * side * side));
}

static void fill(double *grid) {
  const int *n = mg_levels[TOP].n;
  uint64_t side = 1u << TOP;
  for (int k = 1; k < n[2] - 1; k++) {
    for (int j = 1; j < n[1] - 1; j++) {
      uint64_t z = (uint64_t)(mg_first(2, 1 << TOP) + k - 1), y = (uint64_t)(mg_first(1, 1 << TOP) + j - 1);
      uint64_t state = npb_jump(NPB_SEED, (z * side + y) * side + (uint64_t)mg_first(0, 1 << TOP));
      npb_randoms(&state, grid + ((long)k * n[1] + j) * n[0] + 1, n[0] - 2);
    }
  }
}

struct extreme {
  double value;
  int place;
};

// The ten largest values, the largest first.
static void keep(struct extreme best[CHARGES], double value, int place) {
  if (value <= best[CHARGES - 1].value) return;
  int at = CHARGES - 1;
  for (; at > 0 && best[at - 1].value < value; at--) best[at] = best[at - 1];
  best[at] = (struct extreme){value, place};
}

// The ten largest values of this rank, and of the values with the other sign.
static void find_extremes(const double *grid, struct extreme extremes[2][CHARGES]) {
  const int *n = mg_levels[TOP].n;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < CHARGES; i++) extremes[side][i] = (struct extreme){-2, 0};
  for (int k = 1; k < n[2] - 1; k++) {
    for (int j = 1; j < n[1] - 1; j++) {
      for (int i = 1; i < n[0] - 1; i++) {
        int place = (k * n[1] + j) * n[0] + i;
        keep(extremes[0], grid[place], place);
        keep(extremes[1], -grid[place], place);
      }
    }
  }
}

// A unit charge where the ten largest numbers of all ranks are, its opposite where the ten smallest are.
static void place_charges(double *grid) {
  struct extreme extremes[2][CHARGES];
  fill(grid);
  find_extremes(grid, extremes);
  mg_clear(grid, TOP);
  const int *n = mg_levels[TOP].n;
  int next[2] = {0, 0};
  for (int found = 0; found < 2 * CHARGES; found++) {
    int side = found % 2, place[4] = {0, 0, 0, 0}, all[4];
    const struct extreme own = extremes[side][next[side]];
    double best;
    MPI_Allreduce(&own.value, &best, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (own.value == best) {
      grid[own.place] = side ? -1 : 1;
      next[side]++;
      place[0] = npb_rank;
      for (int axis = 0, rest = own.place; axis < 3; axis++, rest /= n[axis - 1]) place[axis + 1] = rest % n[axis];
    }
    // In NPB everybody knows rank and place.
    MPI_Allreduce(place, all, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  mg_exchange(grid, TOP);
}

// Everything as at the beginning.
static void restart(void) {
  mg_clear(mg_u[TOP], TOP);
  place_charges(mg_v);
}

static double residual_norm(void) {
  mg_residual(mg_u[TOP], mg_v, mg_r[TOP], TOP);
  return norm_of(mg_r[TOP]);
}

int main(void) {
  npb_init();
  if (!npb_is_power_of_two(npb_ranks)) return npb_refuse("MG", NPB_POWER_OF_TWO);
  if (!mg_divide(TOP)) return npb_refuse("MG", "a point per rank along each axis");
  npb_begin("MG");
  mg_prepare(TOP);
  // Once without time.
  restart();
  norm_of(mg_v);
  residual_norm();
  mg_cycle();
  mg_residual(mg_u[TOP], mg_v, mg_r[TOP], TOP);
  restart();
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t begin = npb_now();
  residual_norm();
  for (int iteration = 0; iteration < ITERATIONS; iteration++) {
    mg_cycle();
    mg_residual(mg_u[TOP], mg_v, mg_r[TOP], TOP);
  }
  double norm = norm_of(mg_r[TOP]);
  npb_elapsed(begin, npb_now());
  if (sizes.norm != 0) {
    npb_quantity("residual_norm", norm, sizes.norm, TOLERANCE);
  } else {
    npb_value("residual_norm", norm);
  }
  return npb_end();
}
