// SPDX-License-Identifier: Apache-2.0
// LU: one step of symmetric successive over-relaxation.
//
// The implicit system is K x = dt residual with K = D + Y + Z: the diagonal blocks D, and the blocks Y of the points
// before and Z of those behind along the three axes. A sweep forward solves (D + omega Y) x = dt residual, one backward
// (D + omega Z) y = D x, and omega (2 - omega) times less y is the step. The blocks are those of
//   1 + 2 dt second (N + d),   -dt (first A + second (N + d)),   dt (first A - second (N + d))
// with A and N the Jacobians of the convective and the diffusive flux along an axis, at the neighbour's unknowns.
//
// No block is formed. A change x of the unknowns is written as x[0], the change of momentum beside the flow
// s = x[1..3] - v x[0], and that of energy t = x[4] - (energy / mass) x[0]. In these, D is diagonal but for s in the row
// of t, and N x is s and t times viscosity and conduction. When a point is solved, its parts for the three
// points next in the sweep are added up where those stand; at the end of a rank's part they are the message.

#include <string.h>

#include "lu.h"

#define SCALE (LU_OMEGA * LU_DT)
#define SCALE_FIRST (SCALE * LU_FIRST)
#define SCALE_XY (SCALE * LU_SECOND * LU_DISSIPATION_XY)
#define MORE_Z (SCALE * LU_SECOND * (LU_DISSIPATION_Z - LU_DISSIPATION_XY))
#define SCALE_VISCOUS (SCALE * LU_SECOND * LU_VISCOSITY)
#define SCALE_HEAT (SCALE * LU_SECOND * LU_CONDUCTION)

#define DIAGONAL (1 + 2 * LU_DT * LU_SECOND * (2 * LU_DISSIPATION_XY + LU_DISSIPATION_Z))
#define DIAGONAL_ENERGY_S (2 * LU_DT * LU_SECOND * (LU_VISCOSITY * 10 / 3 - 3 * LU_CONDUCTION))

// A change beside the flow.
typedef struct {
  double mass, s[3], t;
} slip;

// The sums of parts for the points of a plane, with a line around: [j + 1][i + 1].
static lu_state *sums;
static double line_sent[5 * LU_POINTS], line_received[5 * LU_POINTS];

void lu_allocate_sums(void) { sums = lu_array((long)(lu.widest + 2) * (lu.widest + 2), sizeof *sums); }

static inline lu_state *sum_at(int i, int j) { return &sums[(j + 1) * (lu.nx + 2) + i + 1]; }

static inline slip slip_of(const lu_flow *flow, const double *x) {
  slip slip = {.mass = x[0], .t = x[4] - flow->energy * x[0]};
  LU_THREE slip.s[d] = x[1 + d] - flow->velocity[d] * x[0];
  return slip;
}

// D^-1.
static inline slip solve_diagonal(const lu_flow *flow, const double *right) {
  slip slip = slip_of(flow, right);
  slip.mass *= 1 / DIAGONAL;
  double along = 0;
  LU_THREE {
    slip.s[d] *= flow->inverse_momentum;
    along += flow->velocity[d] * slip.s[d];
  }
  slip.t = (slip.t - DIAGONAL_ENERGY_S * flow->inverse_density * along) * flow->inverse_energy;
  return slip;
}

static inline void unknowns_of(const lu_flow *flow, const slip *slip, double *x) {
  x[0] = slip->mass;
  LU_THREE x[1 + d] = slip->s[d] + flow->velocity[d] * slip->mass;
  x[4] = slip->t + flow->energy * slip->mass;
}

// Minus omega times the blocks of the three axes times a change; `sign` is that of the sweep.
static inline __attribute__((always_inline)) void spread(const lu_flow *flow, const slip *slip, const double *x,
                                                         double sign, double *to[3]) {
  const double first = sign * SCALE_FIRST;
  double along = 0;
  LU_THREE along += flow->velocity[d] * slip->s[d];
  double pressure = first * LU_GAMMA_1 * (slip->t + flow->internal * slip->mass - along);
  double enthalpy = flow->energy + LU_GAMMA_1 * flow->internal;
  lu_state base, fx;
  double viscous[3], fs[3];
  LU_FIVE {
    base[m] = SCALE_XY * x[m];
    fx[m] = first * x[m];
  }
  LU_THREE {
    viscous[d] = SCALE_VISCOUS * flow->inverse_density * slip->s[d];
    base[1 + d] += viscous[d];
    viscous[d] *= 1.0 / 3;
    fs[d] = first * slip->s[d];
  }
  base[4] += flow->inverse_density * ((SCALE_VISCOUS - SCALE_HEAT) * along + SCALE_HEAT * slip->t);
  fx[4] += pressure;
#pragma GCC unroll 3
  for (int axis = 0; axis < 3; axis++) {
    double velocity = flow->velocity[axis];
    lu_state part;
    part[0] = base[0] + fx[1 + axis];
    LU_THREE part[1 + d] = base[1 + d] + velocity * fx[1 + d] + flow->velocity[d] * fs[axis];
    part[1 + axis] += viscous[axis] + pressure;
    part[4] = base[4] + velocity * (fx[4] + viscous[axis]) + enthalpy * fs[axis];
    if (axis == 2) {
      LU_FIVE to[axis][m] = part[m] + MORE_Z * x[m];
    } else {
      LU_FIVE to[axis][m] += part[m];
    }
  }
}

// The sums of a line of points that change, across the axis, at this place along it.
static void copy_line(int axis, int place, double *values, int is_packing) {
  int begin = axis ? lu.begin_x : lu.begin_y, end = axis ? lu.end_x : lu.end_y;
  for (int at = begin; at < end; at++, values += 5) {
    double *sum = *(axis ? sum_at(at, place) : sum_at(place, at));
    LU_FIVE {
      if (is_packing) {
        values[m] = sum[m];
        sum[m] = 0;
      } else {
        sum[m] += values[m];
      }
    }
  }
}

// Parts from the ranks that a sweep has passed. `way`: 0 forward, 1 backward.
static void receive_lines(int way) {
  for (int axis = 0; axis < 2; axis++) {
    int from = way ? lu.behind[axis] : lu.before[axis];
    if (from < 0) continue;
    int begin = axis ? lu.begin_y : lu.begin_x, end = axis ? lu.end_y : lu.end_x;
    int points = axis ? lu.end_x - lu.begin_x : lu.end_y - lu.begin_y;
    lu_shift(-1, 0, from, line_received, 5 * points);
    copy_line(axis, way ? end - 1 : begin, line_received, 0);
  }
}

// The line beyond this rank's part goes to the next one; beyond the last one it is dropped.
static void send_lines(int way) {
  for (int axis = 0; axis < 2; axis++) {
    int to = way ? lu.before[axis] : lu.behind[axis];
    int begin = axis ? lu.begin_y : lu.begin_x, end = axis ? lu.end_y : lu.end_x;
    int points = axis ? lu.end_x - lu.begin_x : lu.end_y - lu.begin_y;
    copy_line(axis, way ? begin - 1 : end, line_sent, 1);
    lu_shift(to, line_sent, -1, 0, 5 * points);
  }
}

static void forward_plane(int k) {
  for (int j = lu.begin_y; j < lu.end_y; j++)
    for (int i = lu.begin_x; i < lu.end_x; i++) {
      long at = lu_index(i, j, k);
      const lu_flow *flow = &lu_flows[at];
      double *x = lu_residual[at], *sum = *sum_at(i, j);
      lu_state right, change;
      LU_FIVE right[m] = LU_DT * x[m] + sum[m];
      slip slip = solve_diagonal(flow, right);
      unknowns_of(flow, &slip, change);
      LU_FIVE x[m] = change[m];
      spread(flow, &slip, change, 1, (double *[3]){*sum_at(i + 1, j), *sum_at(i, j + 1), sum});
    }
}

static void backward_plane(int k) {
  for (int j = lu.end_y - 1; j >= lu.begin_y; j--)
    for (int i = lu.end_x - 1; i >= lu.begin_x; i--) {
      long at = lu_index(i, j, k);
      const lu_flow *flow = &lu_flows[at];
      double *x = lu_residual[at], *u = lu_u[at], *sum = *sum_at(i, j);
      slip more = solve_diagonal(flow, sum), slip = slip_of(flow, x);
      slip.mass += more.mass;
      slip.t += more.t;
      LU_THREE slip.s[d] += more.s[d];
      lu_state change;
      unknowns_of(flow, &slip, change);
      LU_FIVE {
        x[m] = change[m];
        u[m] += 1 / (LU_OMEGA * (2 - LU_OMEGA)) * change[m];
      }
      spread(flow, &slip, change, -1, (double *[3]){*sum_at(i - 1, j), *sum_at(i, j - 1), sum});
    }
}

static void clear_sums(void) { memset(sums, 0, (size_t)(lu.nx + 2) * (size_t)(lu.ny + 2) * sizeof *sums); }

void lu_relax(void) {
  clear_sums();
  for (int k = 1; k < LU_POINTS - 1; k++) {
    receive_lines(0);
    forward_plane(k);
    send_lines(0);
  }
  clear_sums();
  for (int k = LU_POINTS - 2; k > 0; k--) {
    receive_lines(1);
    backward_plane(k);
    send_lines(1);
  }
}
