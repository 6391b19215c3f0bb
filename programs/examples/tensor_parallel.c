// SPDX-License-Identifier: Apache-2.0
// Layers of a network of neurons, each split over the ranks: a rank has some of the hidden neurons, and all ranks add their parts
// of the output. Rank 0 computes all alone and compares.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef WIDTH
#define WIDTH 32
#endif
#ifndef HIDDEN
#define HIDDEN 128
#endif
#ifndef BATCH
#define BATCH 4
#endif
#ifndef LAYERS
#define LAYERS 6
#endif

// A weight between -1/2 and 1/2 that every rank can compute.
static float weight(int layer, int side, int hidden, int neuron) {
  unsigned bits = (unsigned)(((layer * 2 + side) * HIDDEN + hidden) * WIDTH + neuron) * 2654435761u;
  return (float)(bits >> 16) / 65536.0f - 0.5f;
}

// Weights of so many hidden neurons of each layer, into and out of them.
static float *weights(int first, int count) {
  float *values = malloc(sizeof *values * (size_t)(LAYERS * 2 * count * WIDTH));
  if (!values) MPI_Abort(MPI_COMM_WORLD, 3);
  float *at = values;
  for (int layer = 0; layer < LAYERS; layer++)
    for (int hidden = 0; hidden < count; hidden++)
      for (int side = 0; side < 2; side++)
        for (int neuron = 0; neuron < WIDTH; neuron++) *at++ = weight(layer, side, first + hidden, neuron);
  return values;
}

// Adds the part of these hidden neurons to the output.
static void layer_of(const float *weights, int count, const float *input, float *output) {
  for (int hidden = 0; hidden < count; hidden++) {
    const float *into = weights + hidden * 2 * WIDTH, *out = into + WIDTH;
    for (int sample = 0; sample < BATCH; sample++) {
      float sum = 0;
      for (int neuron = 0; neuron < WIDTH; neuron++) sum += into[neuron] * input[sample * WIDTH + neuron];
      if (sum <= 0) continue;
      for (int neuron = 0; neuron < WIDTH; neuron++) output[sample * WIDTH + neuron] += sum * out[neuron];
    }
  }
}

// Keeps values in range from layer to layer: the largest is 1.
static void scale(float *values) {
  float most = 1e-6f;
  for (int i = 0; i < BATCH * WIDTH; i++) most = fabs(values[i]) > most ? (float)fabs(values[i]) : most;
  for (int i = 0; i < BATCH * WIDTH; i++) values[i] /= most;
}

static void begin_with(float *values) {
  for (int i = 0; i < BATCH * WIDTH; i++) values[i] = (float)(i % 7) / 7.0f - 0.4f;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  static float input[BATCH * WIDTH], part[BATCH * WIDTH], alone[BATCH * WIDTH], output[BATCH * WIDTH];
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int count = HIDDEN / ranks;
  if (count * ranks != HIDDEN) {
    if (rank == 0) printf("refused: %d neurons on %d ranks; accepted: a number of ranks that divides them\n", HIDDEN, ranks);
    MPI_Finalize();
    return 2;
  }
  float *own = weights(rank * count, count);
  begin_with(input);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  for (int layer = 0; layer < LAYERS; layer++) {
    for (int i = 0; i < BATCH * WIDTH; i++) part[i] = 0;
    layer_of(own + layer * 2 * count * WIDTH, count, input, part);
    MPI_Allreduce(part, input, BATCH * WIDTH, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    scale(input);
  }
  double seconds = MPI_Wtime() - begin, longest;
  MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int is_wrong = 0;
  if (rank == 0) {
    float *all = weights(0, HIDDEN);
    begin_with(alone);
    for (int layer = 0; layer < LAYERS; layer++) {
      for (int i = 0; i < BATCH * WIDTH; i++) output[i] = 0;
      layer_of(all + layer * 2 * HIDDEN * WIDTH, HIDDEN, alone, output);
      for (int i = 0; i < BATCH * WIDTH; i++) alone[i] = output[i];
      scale(alone);
    }
    // Ranks add in another order.
    for (int i = 0; i < BATCH * WIDTH; i++) is_wrong |= !(fabs(alone[i] - input[i]) < 1e-3);
    printf("tensor_parallel %s, %.3f us\n", is_wrong ? "wrong" : "ok", longest * 1e6);
  }
  MPI_Finalize();
  return is_wrong;
}
