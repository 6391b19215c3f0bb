// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a random sparse matrix, symmetric and with a strong diagonal: indirect loads and sums of
// doubles.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400, PER_ROW = 9, STEPS = 25 };

static double values[N][N];
static int columns[N * PER_ROW * 2 + N], starts[N + 1];
static double packed[N * PER_ROW * 2 + N], x[N], r[N], p[N], q[N];

static double dot(const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  return sum;
}

int main(void) {
  uint64_t state = 271828183;
  for (int i = 0; i < N; i++) {
    values[i][i] = 2 * PER_ROW;
    for (int n = 0; n < PER_ROW; n++) {
      state = state * 1220703125u & ((1ull << 46) - 1);
      int j = (int)(state >> 20) % N;
      values[i][j] += (double)state * 0x1p-46;
      values[j][i] = values[i][j];
    }
  }
  int count = 0;
  for (int i = 0; i < N; i++) {
    starts[i] = count;
    for (int j = 0; j < N; j++)
      if (values[i][j] != 0) columns[count] = j, packed[count++] = values[i][j];
  }
  starts[N] = count;
  for (int i = 0; i < N; i++) r[i] = p[i] = 1;
  double rho = dot(r, r);
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < N; i++) {
      double sum = 0;
      for (int k = starts[i]; k < starts[i + 1]; k++) sum += packed[k] * p[columns[k]];
      q[i] = sum;
    }
    double alpha = rho / dot(p, q);
    for (int i = 0; i < N; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    double next = dot(r, r), beta = next / rho;
    rho = next;
    for (int i = 0; i < N; i++) p[i] = r[i] + beta * p[i];
    if (step % 6 == 0) printf("%2d %.17g\n", step, sqrt(rho));
  }
  printf("%d non-zeros, x[0] = %.17g, sum %.17g\n", count, x[0], dot(x, x));
  return 0;
}
