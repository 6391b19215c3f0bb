// SPDX-License-Identifier: Apache-2.0
// LU: the residual of the steady equations.
//
// Along each axis a point has a convective flux F and a diffusive one W (a function whose second difference is the
// viscous term). The residual at a point is, summed over the axes, with d the added dissipation of second order,
//   -first (F(+1) - F(-1)) + second (V(+1) - 2 V(0) + V(-1)) - d4 (fourth difference of u),  V = W + d u.
// Each line of points is read once per axis: a point gives second V + first F to the next point and second V - first F to
// the one before. The neighbours' part of the fourth difference, 4 d4 u, goes with V. A fourth difference leaves out
// the values of the cube's faces, and is 5 u - ... beside them.

#include <string.h>

#include "lu.h"

// Inverses of the diagonal: 2 dt second times the diffusive Jacobians of three axes, on an identity.
#define DIAGONAL (1 + 2 * LU_DT * LU_SECOND * (2 * LU_DISSIPATION_XY + LU_DISSIPATION_Z))
#define DIAGONAL_MOMENTUM (2 * LU_DT * LU_SECOND * LU_VISCOSITY * 10 / 3)
#define DIAGONAL_ENERGY (2 * LU_DT * LU_SECOND * LU_CONDUCTION * 3)

static void find_flows(void) {
  for (int k = 0; k < LU_POINTS; k++)
    for (int j = -1; j <= lu.ny; j++)
      for (int i = -1; i <= lu.nx; i++) {
        long at = lu_index(i, j, k);
        const double *u = lu_u[at];
        lu_flow *flow = &lu_flows[at];
        double inverse = 1 / u[0], squared = 0;
        flow->inverse_density = inverse;
        LU_THREE {
          double velocity = u[1 + d] * inverse;
          flow->velocity[d] = velocity;
          squared += velocity * velocity;
        }
        flow->energy = u[4] * inverse;
        flow->internal = flow->energy - 0.5 * squared;
        flow->inverse_momentum = 1 / (DIAGONAL + DIAGONAL_MOMENTUM * inverse);
        flow->inverse_energy = 1 / (DIAGONAL + DIAGONAL_ENERGY * inverse);
      }
}

#define VISCOUS (LU_SECOND * LU_VISCOSITY)
#define VISCOUS_KINETIC (LU_SECOND * LU_VISCOSITY - LU_SECOND * LU_CONDUCTION)
#define HEAT (LU_SECOND * LU_CONDUCTION)

// What the point gives along the axis to the next one and to the one before.
static inline __attribute__((always_inline)) void give(int axis, long at, double weight, lu_state next,
                                                       lu_state before) {
  const double *u = lu_u[at];
  const lu_flow *flow = &lu_flows[at];
  double velocity = flow->velocity[axis], pressure = LU_GAMMA_1 * u[0] * flow->internal;
  double convective = LU_FIRST * velocity;
  lu_state f, v;
  f[0] = LU_FIRST * u[1 + axis];
  v[0] = weight * u[0];
  LU_THREE {
    f[1 + d] = u[1 + d] * convective;
    v[1 + d] = (d == axis ? VISCOUS * 4 / 3 : VISCOUS) * flow->velocity[d] + weight * u[1 + d];
  }
  f[1 + axis] += LU_FIRST * pressure;
  f[4] = (u[4] + pressure) * convective;
  v[4] = VISCOUS_KINETIC * lu_kinetic(flow) + VISCOUS / 6 * (velocity * velocity) + HEAT * flow->energy + weight * u[4];
  LU_FIVE {
    next[m] = v[m] + f[m];
    before[m] = v[m] - f[m];
  }
}

// `count` points that change, behind the point `at`. Faces of the cube have no part in fourth differences.
static inline __attribute__((always_inline)) void add_line(int axis, long at, int count, int is_face_low,
                                                           int is_face_high) {
  const double second = LU_SECOND * (axis == 2 ? LU_DISSIPATION_Z : LU_DISSIPATION_XY);
  const double both = second + 4 * LU_DISSIPATION_4;
  long stride = lu.stride[axis];
  lu_state from_before, own, next, unused;
  give(axis, at, is_face_low ? second : both, from_before, unused);
  at += stride;
  give(axis, at, both, own, unused);
  for (; count > 0; count--, at += stride) {
    lu_state from_next;
    give(axis, at + stride, count == 1 && is_face_high ? second : both, next, from_next);
    double *residual = lu_residual[at];
    LU_FIVE {
      residual[m] += from_before[m] + from_next[m];
      from_before[m] = own[m];
      own[m] = next[m];
    }
  }
}

// Weights of a point's fourth difference along one axis, by index in the whole cube: itself, two before, two behind.
static void weigh(int index, double weights[3]) {
  const int last = LU_POINTS - 1;
  weights[0] = LU_DISSIPATION_4 * (index == 1 || index == last - 1 ? 5 : 6);
  weights[1] = index > 2 ? LU_DISSIPATION_4 : 0;
  weights[2] = index < last - 2 ? LU_DISSIPATION_4 : 0;
}

#define OWN_VISCOUS (-2 * VISCOUS * 10 / 3)
#define OWN_KINETIC (-2 * (3 * VISCOUS_KINETIC + VISCOUS / 3))
#define OWN_HEAT (-2 * 3 * HEAT)
#define OWN_DISSIPATION (2 * LU_SECOND * (2 * LU_DISSIPATION_XY + LU_DISSIPATION_Z))

// The point's own part for all axes, and the fourth differences' part two points away.
static inline __attribute__((always_inline)) void begin_point(long at, const double weights[3][3]) {
  const lu_flow *flow = &lu_flows[at];
  const double *forcing = lu_forcing[at];
  double *residual = lu_residual[at];
  double own = OWN_DISSIPATION + weights[0][0] + weights[1][0] + weights[2][0];
  lu_state sum;
  LU_FIVE sum[m] = -forcing[m] - own * lu_u[at][m];
  LU_THREE sum[1 + d] += OWN_VISCOUS * flow->velocity[d];
  sum[4] += OWN_KINETIC * lu_kinetic(flow) + OWN_HEAT * flow->energy;
  LU_THREE {
    const double *before = lu_u[at - 2 * lu.stride[d]], *behind = lu_u[at + 2 * lu.stride[d]];
    double low = weights[d][1], high = weights[d][2];
    LU_FIVE sum[m] -= low * before[m] + high * behind[m];
  }
  LU_FIVE residual[m] = sum[m];
}

static void begin_points(void) {
  double weights[3][3];
  for (int k = 1; k < LU_POINTS - 1; k++) {
    weigh(k, weights[2]);
    for (int j = lu.begin_y; j < lu.end_y; j++) {
      weigh(lu.first_y + j, weights[1]);
      for (int i = lu.begin_x; i < lu.end_x; i++) {
        weigh(lu.first_x + i, weights[0]);
        begin_point(lu_index(i, j, k), weights);
      }
    }
  }
}

void lu_find_residual(void) {
  lu_exchange_layers();
  find_flows();
  begin_points();
  int columns = lu.end_x - lu.begin_x, rows = lu.end_y - lu.begin_y;
  for (int k = 1; k < LU_POINTS - 1; k++) {
    for (int j = lu.begin_y; j < lu.end_y; j++)
      add_line(0, lu_index(lu.begin_x - 1, j, k), columns, lu.before[0] < 0, lu.behind[0] < 0);
    for (int i = lu.begin_x; i < lu.end_x; i++)
      add_line(1, lu_index(i, lu.begin_y - 1, k), rows, lu.before[1] < 0, lu.behind[1] < 0);
  }
  for (int j = lu.begin_y; j < lu.end_y; j++)
    for (int i = lu.begin_x; i < lu.end_x; i++) add_line(2, lu_index(i, j, 0), LU_POINTS - 2, 1, 1);
}
