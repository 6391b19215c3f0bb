// SPDX-License-Identifier: Apache-2.0
// Matrix products in both precisions and in integers, and Gaussian elimination.

#include <math.h>
#include <stdio.h>
#include <stdint.h>

enum { N = 48 };

static double a[N][N], b[N][N], c[N][N];
static float fa[N][N], fb[N][N], fc[N][N];
static int64_t ia[N][N], ic[N][N];

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = 1.0 / (i + j + 1) + (i == j);
      b[i][j] = (i * 7 + j * 3) % 11 - 5.25;
      fa[i][j] = (float)a[i][j], fb[i][j] = (float)b[i][j];
      ia[i][j] = (int64_t)(i + 1) * 1000003 * (j - 20);
    }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) {
        c[i][j] += a[i][k] * b[k][j];
        fc[i][j] += fa[i][k] * fb[k][j];
        ic[i][j] += ia[i][k] * ia[k][j] / (k + 1) % 1000000007;
      }
  double trace = 0, elements = 0;
  float single = 0;
  int64_t whole = 0;
  for (int i = 0; i < N; i++) {
    trace += c[i][i];
    for (int j = 0; j < N; j++) elements += fabs(c[i][j]), single += fc[i][j], whole ^= ic[i][j];
  }
  printf("%.17g %.17g %.9g %lld\n", trace, elements, single, (long long)whole);
  double determinant = 1;
  for (int k = 0; k < N; k++) {
    determinant *= a[k][k];
    for (int i = k + 1; i < N; i++) {
      double factor = a[i][k] / a[k][k];
      for (int j = k; j < N; j++) a[i][j] -= factor * a[k][j];
    }
  }
  printf("%.17g\n", determinant);
  return 7;
}
