// SPDX-License-Identifier: Apache-2.0
// Which points of MG's grids a rank has, and the exchange of faces.

#include "mg.h"

#include <stdlib.h>

#include "npb.h"

struct mg_level mg_levels[MG_MOST_LEVELS];
int mg_parts[3], mg_part[3];

static double *faces;

int mg_first(int axis, int side) { return mg_part[axis] * side / mg_parts[axis]; }

size_t mg_points(int level) {
  const int *n = mg_levels[level].n;
  return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

static int rank_at(const int part[3]) { return part[0] + mg_parts[0] * (part[1] + mg_parts[1] * part[2]); }

// Where a level has fewer points than there are parts, every second rank (or fourth, ...) has one.
static void divide_level(int number, int top) {
  struct mg_level *level = &mg_levels[number];
  int side = 1 << number;
  level->is_alive = 1;
  for (int axis = 0; axis < 3; axis++) {
    int parts = mg_parts[axis], apart = parts > side ? parts / side : 1;
    int end = (mg_part[axis] + 1) * side / parts;
    level->n[axis] = 2 + end - mg_first(axis, side);
    if (level->n[axis] == 2) level->is_alive = 0;
    for (int up = 0; up < 2; up++) {
      int beside[3] = {mg_part[0], mg_part[1], mg_part[2]};
      beside[axis] = (mg_part[axis] + (up ? apart : parts - apart)) % parts;
      level->neighbours[axis][up] = rank_at(beside);
    }
    if (number < top) {
      struct mg_level *finer = level + 1;
      finer->gives[axis] = parts > side && level->n[axis] > 2;
      finer->takes[axis] = finer->n[axis] > 2 && level->n[axis] == 2;
    }
  }
}

int mg_divide(int top) {
  int log_ranks = 0;
  while (1 << (log_ranks + 1) <= npb_ranks) log_ranks++;
  mg_parts[0] = 1 << log_ranks / 3;
  mg_parts[1] = 1 << (log_ranks - log_ranks / 3) / 2;
  mg_parts[2] = npb_ranks / (mg_parts[0] * mg_parts[1]);
  mg_part[0] = npb_rank % mg_parts[0];
  mg_part[1] = npb_rank / mg_parts[0] % mg_parts[1];
  mg_part[2] = npb_rank / (mg_parts[0] * mg_parts[1]);
  for (int level = top; level >= 1; level--) divide_level(level, top);
  if (!mg_levels[top].is_alive) return 0;
  const int *n = mg_levels[top].n;
  int most = n[0] > n[1] ? n[0] : n[1], least = n[0] > n[1] ? n[1] : n[0];
  size_t face = (size_t)most * (size_t)(n[2] > least ? n[2] : least);
  // One to send and one to receive from each side; or three to receive.
  faces = malloc(3 * face * sizeof *faces);
  if (!faces) MPI_Abort(MPI_COMM_WORLD, 3);
  return 1;
}

// Planes of a grid across an axis, without the layers of the axes from `inner` on.
struct planes {
  double *grid;
  const int *n;
  int axis, inner;
};

enum way { TO_BUFFER, TO_GRID };

// Copies a plane to a buffer or back; the number of points.
static int copy(struct planes planes, int plane, double *buffer, enum way way) {
  size_t strides[3] = {1, (size_t)planes.n[0], (size_t)planes.n[0] * (size_t)planes.n[1]};
  int b = planes.axis == 0 ? 1 : 0, c = planes.axis == 2 ? 1 : 2, count = 0;
  int edge_b = b >= planes.inner, edge_c = c >= planes.inner;
  for (int j = edge_c; j < planes.n[c] - edge_c; j++) {
    double *row = planes.grid + (size_t)plane * strides[planes.axis] + (size_t)j * strides[c];
    for (int i = edge_b; i < planes.n[b] - edge_b; i++) {
      double *point = row + (size_t)i * strides[b];
      if (way == TO_BUFFER) {
        buffer[count++] = *point;
      } else {
        *point = buffer[count++];
      }
    }
  }
  return count;
}

static int points_of(struct planes planes) {
  int b = planes.axis == 0 ? 1 : 0, c = planes.axis == 2 ? 1 : 2;
  return (planes.n[b] - 2 * (b >= planes.inner)) * (planes.n[c] - 2 * (c >= planes.inner));
}

static int tag_of(int axis, int up) { return 10 * axis + up; }

static void exchange_axis(struct planes planes, const int neighbours[2]) {
  int last = planes.n[planes.axis] - 1;
  int count = points_of(planes);
  double *from_below = faces, *from_above = from_below + count, *out = from_above + count;
  if (npb_ranks == 1) {
    copy(planes, last - 1, out, TO_BUFFER);
    copy(planes, 0, out, TO_GRID);
    copy(planes, 1, out, TO_BUFFER);
    copy(planes, last, out, TO_GRID);
    return;
  }
  MPI_Request below, above;
  MPI_Irecv(from_below, count, MPI_DOUBLE, neighbours[0], tag_of(planes.axis, 1), MPI_COMM_WORLD, &below);
  MPI_Irecv(from_above, count, MPI_DOUBLE, neighbours[1], tag_of(planes.axis, 0), MPI_COMM_WORLD, &above);
  copy(planes, last - 1, out, TO_BUFFER);
  MPI_Send(out, count, MPI_DOUBLE, neighbours[1], tag_of(planes.axis, 1), MPI_COMM_WORLD);
  copy(planes, 1, out, TO_BUFFER);
  MPI_Send(out, count, MPI_DOUBLE, neighbours[0], tag_of(planes.axis, 0), MPI_COMM_WORLD);
  MPI_Wait(&below, MPI_STATUS_IGNORE);
  copy(planes, 0, from_below, TO_GRID);
  MPI_Wait(&above, MPI_STATUS_IGNORE);
  copy(planes, last, from_above, TO_GRID);
}

void mg_exchange(double *grid, int level) {
  const struct mg_level *at = &mg_levels[level];
  if (!at->is_alive) return;
  // The layers of axes that are done travel with the faces of the later ones, and so reach edges and corners.
  for (int axis = 0; axis < 3; axis++)
    exchange_axis((struct planes){grid, at->n, axis, axis}, at->neighbours[axis]);
}

// This rank has one point across the axis: below goes that plane, above that plane and the layer behind it.
static void give(struct planes planes, const int neighbours[2]) {
  int count = copy(planes, 1, faces, TO_BUFFER);
  copy(planes, 2, faces + count, TO_BUFFER);
  MPI_Send(faces, 2 * count, MPI_DOUBLE, neighbours[1], tag_of(planes.axis, 1), MPI_COMM_WORLD);
  MPI_Send(faces, count, MPI_DOUBLE, neighbours[0], tag_of(planes.axis, 0), MPI_COMM_WORLD);
}

static void take(struct planes planes, const int neighbours[2]) {
  int count = points_of(planes);
  MPI_Request below, above;
  MPI_Irecv(faces, 2 * count, MPI_DOUBLE, neighbours[0], tag_of(planes.axis, 1), MPI_COMM_WORLD, &below);
  MPI_Irecv(faces + 2 * count, count, MPI_DOUBLE, neighbours[1], tag_of(planes.axis, 0), MPI_COMM_WORLD, &above);
  MPI_Wait(&below, MPI_STATUS_IGNORE);
  MPI_Wait(&above, MPI_STATUS_IGNORE);
  for (int plane = 0; plane < 3; plane++) copy(planes, plane, faces + plane * count, TO_GRID);
}

void mg_hand_over(double *grid, int level) {
  const struct mg_level *at = &mg_levels[level];
  if (!at->is_alive) return;
  for (int axis = 0; axis < 3; axis++) {
    struct planes planes = {grid, at->n, axis, 3};
    if (at->takes[axis]) take(planes, at->neighbours[axis]);
    if (at->gives[axis]) give(planes, at->neighbours[axis]);
  }
}
