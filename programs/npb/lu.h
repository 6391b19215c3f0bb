// SPDX-License-Identifier: Apache-2.0
// LU: sizes, constants of the equations, the part of the grid that a rank holds, and the steps of the solver.
//
// The compressible Navier-Stokes equations for density, momentum (3) and energy on a cube of n^3 points. Unknowns at a
// point: u[0], u[1..3], u[4]. Indices begin at 0; the points of the faces 0 and n-1 are given and do not change.
#ifndef NPB_LU_H
#define NPB_LU_H

#include <stddef.h>

#include "npb.h"

#if NPB_CLASS == 'S'
#define LU_POINTS 12
#define LU_STEPS 50
#define LU_DT 0.5
#elif NPB_CLASS == 'W'
#define LU_POINTS 33
#define LU_STEPS 300
#define LU_DT 1.5e-3
#elif NPB_CLASS == 'A'
#define LU_POINTS 64
#define LU_STEPS 250
#define LU_DT 2.0
#elif NPB_CLASS == 'X'
#define LU_POINTS NPB_LU_POINTS
#define LU_STEPS NPB_LU_STEPS
#define LU_DT NPB_LU_DT
#else
#error "LU has the classes S, W, A and X"
#endif

// A rank needs the points that its neighbours' fourth differences reach, and one more.
#define LU_FEWEST 3

// Of the gas: ratio of specific heats, that less one, viscosity, and conduction of heat (1.4 * 0.1 * 1.4).
#define LU_GAMMA 1.4
#define LU_GAMMA_1 0.4
#define LU_VISCOSITY 0.1
#define LU_CONDUCTION 0.196
// Factors of second and first central differences, inverse spacing squared and half of inverse spacing.
#define LU_SECOND ((LU_POINTS - 1.0) * (LU_POINTS - 1.0))
#define LU_FIRST ((LU_POINTS - 1.0) / 2)
// Added dissipation: second differences along x and y, and along z; fourth differences.
#define LU_DISSIPATION_XY 0.75
#define LU_DISSIPATION_Z 1.0
#define LU_DISSIPATION_4 0.25
// Over-relaxation.
#define LU_OMEGA 1.2

#define LU_FIVE _Pragma("GCC unroll 5") for (int m = 0; m < 5; m++)
#define LU_THREE _Pragma("GCC unroll 3") for (int d = 0; d < 3; d++)

typedef double lu_state[5];

// What the fluxes need of the unknowns at a point.
typedef struct {
  double inverse_density, velocity[3];
  // Per mass: all energy, and that without the motion.
  double energy, internal;
  // Inverses on the diagonal of the system: of the rows of momentum and of energy.
  double inverse_momentum, inverse_energy;
} lu_flow;

// All ranks form a rectangle, `columns` along x and `rows` along y; each holds all points along z of nx times ny lines.
extern struct lu_grid {
  int columns, rows, column, row;
  // Ranks before and behind along x and y; -1: none.
  int before[2], behind[2];
  int nx, ny, first_x, first_y;
  // The most lines along a side of any rank's part.
  int widest;
  // Own points that change, first and behind the last.
  int begin_x, end_x, begin_y, end_y;
  // Elements between neighbours along x, y and z.
  long stride[3];
} lu;

// Unknowns; residual, and in the sweeps the change of the unknowns; the forcing; all with two layers around along x and y.
extern lu_state *lu_u, *lu_residual, *lu_forcing;
extern lu_flow *lu_flows;

static inline long lu_index(int i, int j, int k) { return i + 2 + (j + 2) * lu.stride[1] + k * lu.stride[2]; }

// Half of the squared velocity.
static inline double lu_kinetic(const lu_flow *flow) { return flow->energy - flow->internal; }

// Places this rank. 0: these ranks cannot hold the grid.
int lu_divide(void);
// 0: there is no memory. All arrays have the size of the largest part, so that all ranks have memory or none.
int lu_allocate(void);
// Bytes of those arrays.
extern long lu_bytes;
// Zeros; a failure is told by `lu_allocate`.
void *lu_array(long elements, size_t bytes_each);
void lu_allocate_sums(void);
void lu_allocate_layers(void);
void lu_allocate_sides(void);

void lu_exact(int i, int j, int k, lu_state u);
void lu_set_exact(void);
// Between the exact values of the faces.
void lu_set_initial(void);

// Of the present unknowns, less the forcing: messages, then arithmetic.
void lu_find_residual(void);

// One step of symmetric successive over-relaxation: the residual becomes the change, which is added to the unknowns.
void lu_relax(void);

// Sends to one rank and receives from another one; -1: none.
void lu_shift(int to, const double *send, int from, double *receive, int doubles);
// Two layers of the unknowns from each neighbour.
void lu_exchange_layers(void);

// Root of the mean square over all points that change; all ranks.
void lu_norms(lu_state *field, double norms[5]);
void lu_error_norms(double norms[5]);
double lu_surface_integral(void);

#endif
