// SPDX-License-Identifier: Apache-2.0
// LU: messages to the four neighbours.

#include <string.h>

#include "lu.h"

#define TAG 1
#define LAYERS 2
#define LINE_BYTES (5 * sizeof(double))

static double *sent, *received;

void lu_allocate_layers(void) {
  long doubles = (long)LAYERS * 5 * LU_POINTS * lu.widest;
  sent = lu_array(doubles, sizeof *sent);
  received = lu_array(doubles, sizeof *received);
}

void lu_shift(int to, const double *send, int from, double *receive, int doubles) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (from >= 0) MPI_Irecv(receive, doubles, MPI_DOUBLE, from, TAG, MPI_COMM_WORLD, &request);
  if (to >= 0) MPI_Send(send, doubles, MPI_DOUBLE, to, TAG, MPI_COMM_WORLD);
  if (from >= 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Two layers that are `first` and `first + 1` along the axis, from or to the unknowns.
static void copy_layers(int axis, int first, double *values, int is_packing) {
  int across = axis ? lu.nx : lu.ny;
  for (int k = 0; k < LU_POINTS; k++)
    for (int at = 0; at < across; at++)
      for (int layer = first; layer < first + LAYERS; layer++, values += 5) {
        double *u = axis ? lu_u[lu_index(at, layer, k)] : lu_u[lu_index(layer, at, k)];
        memcpy(is_packing ? values : u, is_packing ? u : values, LINE_BYTES);
      }
}

void lu_exchange_layers(void) {
  for (int axis = 0; axis < 2; axis++) {
    int own = axis ? lu.ny : lu.nx, doubles = LAYERS * 5 * LU_POINTS * (axis ? lu.nx : lu.ny);
    int before = lu.before[axis], behind = lu.behind[axis];
    if (before >= 0) copy_layers(axis, 0, sent, 1);
    lu_shift(before, sent, behind, received, doubles);
    if (behind >= 0) copy_layers(axis, own, received, 0);
    if (behind >= 0) copy_layers(axis, own - LAYERS, sent, 1);
    lu_shift(behind, sent, before, received, doubles);
    if (before >= 0) copy_layers(axis, -LAYERS, received, 0);
  }
}
