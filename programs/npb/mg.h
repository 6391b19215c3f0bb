// SPDX-License-Identifier: Apache-2.0
// MG's grids: a cube of points per level, divided among the ranks along three axes, with a layer of neighbours' points around
// each part.
#ifndef NPB_MG_H
#define NPB_MG_H

#include <stddef.h>

#define MG_MOST_LEVELS 12

struct mg_level {
  // Points of the part along each axis, two layers included; 2: none of its own.
  int n[3];
  // Ranks that hold the points beyond the part, below [0] and above [1].
  int neighbours[3][2];
  // There is a point of this level in the part.
  int is_alive;
  // The ranks beside this one along the axis have no points of the next coarser level and get those of this level from
  // this rank; or it is this rank that gets them.
  int gives[3], takes[3];
};

extern struct mg_level mg_levels[MG_MOST_LEVELS];
// Along each axis: number of parts, and which one is this rank's.
extern int mg_parts[3], mg_part[3];

// Divides the cube of 2^top points per side; 0 if a rank gets none.
int mg_divide(int top);
size_t mg_points(int level);
// First point of this rank along an axis, of all points of a level with so many per side.
int mg_first(int axis, int side);

// Sets the layers around the part to what the neighbours have.
void mg_exchange(double *grid, int level);
// To ranks without points of the next coarser level, what was interpolated for them.
void mg_hand_over(double *grid, int level);

// Solution and residual of each level, the charges.
extern double *mg_u[MG_MOST_LEVELS], *mg_r[MG_MOST_LEVELS], *mg_v;

void mg_prepare(int finest);
void mg_clear(double *grid, int level);
// result = charges - A solution.
void mg_residual(const double *solution, const double *charges, double *result, int level);
// From the residual of the finest level to a better solution.
void mg_cycle(void);

#endif
