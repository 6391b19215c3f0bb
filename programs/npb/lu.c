// SPDX-License-Identifier: Apache-2.0
// NAS parallel benchmark LU: a steady flow in a cube by symmetric successive over-relaxation, whose sweeps run through the
// ranks as a wave from corner to corner and back.

#include <stdio.h>
#include <string.h>

#include "lu.h"

#define TOLERANCE 1e-8

static const struct {
  double residuals[5], errors[5], surface_integral;
} reference =
#if NPB_CLASS == 'S'
    {{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03,
      3.4264073155896461e-02},
     {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05, 5.8474222595157350e-05,
      1.3103347914111294e-03},
     7.8418928865937083};
#elif NPB_CLASS == 'W'
    {{0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01, 0.2826799444189e+02},
     {0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01, 0.1084277417792e+01},
     0.1161399311023e+02};
#elif NPB_CLASS == 'A'
    {{7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02, 1.7845301160418537e+02,
      1.8384760349464247e+03},
     {2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00, 6.7139225687777051e+00,
      7.0715315688392578e+01},
     2.6030925604886277e+01};
#else
    {{0}};
#endif

// Begins anew and relaxes; the norms of the last residual. Returns the longest time of all ranks.
static double solve(int steps, double residuals[5]) {
  lu_set_initial();
  lu_find_residual();
  lu_norms(lu_residual, residuals);
  uint64_t begin = npb_now();
  for (int step = 1; step <= steps; step++) {
    lu_relax();
    if (step == LU_STEPS) {
      // Of the change, as NPB does: nobody asks for it, and its messages count.
      double changes[5];
      lu_norms(lu_residual, changes);
    }
    lu_find_residual();
    if (step == LU_STEPS) lu_norms(lu_residual, residuals);
  }
  double own = (double)(npb_now() - begin), longest;
  MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

static void report(const char *what, const double computed[5], const double known[5]) {
  for (int m = 0; m < 5; m++) {
    char name[32];
    snprintf(name, sizeof name, "%s_%d", what, m + 1);
    if (NPB_CLASS == 'X') {
      npb_value(name, computed[m]);
    } else {
      npb_quantity(name, computed[m], known[m], TOLERANCE);
    }
  }
}

// The forcing with which the exact solution has no residual.
static void find_forcing(void) {
  lu_set_exact();
  lu_find_residual();
  memcpy(lu_forcing, lu_residual, (size_t)(lu.stride[2] * LU_POINTS) * sizeof *lu_forcing);
}

int main(void) {
  npb_init();
  char needs[96];
  if (!lu_divide()) {
    snprintf(needs, sizeof needs, "a rectangle of ranks, at most 1:2, and %d of %d points a side for each", LU_FEWEST,
             LU_POINTS);
    return npb_refuse("LU", needs);
  }
  if (!lu_allocate()) {
    snprintf(needs, sizeof needs, "%ld bytes for the arrays of each rank", lu_bytes);
    return npb_refuse("LU", needs);
  }
  npb_begin("LU");
  double residuals[5], errors[5];
  find_forcing();
  // One step before the time begins, as NPB does.
  solve(1, residuals);
  double longest = solve(LU_STEPS, residuals);
  lu_error_norms(errors);
  double surface_integral = lu_surface_integral();
  npb_elapsed_longest(longest);
  report("residual", residuals, reference.residuals);
  report("error", errors, reference.errors);
  if (NPB_CLASS == 'X') {
    npb_value("surface_integral", surface_integral);
  } else {
    npb_quantity("surface_integral", surface_integral, reference.surface_integral, TOLERANCE);
  }
  return npb_end();
}
