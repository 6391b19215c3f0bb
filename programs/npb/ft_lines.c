// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of many lines at once: radix 4 in Stockham's order, the last step radix 2 where the length
// asks for it.
//
// A step takes the index j = q + s (p + m t) to q + s (r p + k): r is the radix, t and k count to r, s is the product of
// the radices before, m = length / (s r), p counts to m, q to s. Element k is the transform of the r elements t, times
// w^(p k) with w = exp(-2 pi i / (m r)). No step permutes by bits, and the first one reads and the last one writes lines
// with any stride, so that nobody packs or transposes apart.

#include "ft.h"

#include <math.h>
#include <stdlib.h>

// Lines that go through all steps together: a twiddle factor is loaded once for them.
#define TOGETHER 8

// exp(-2 pi i k / longest).
static ft_complex *roots;
static int longest;
static ft_complex *buffers[2];

int ft_prepare(int most) {
  longest = most;
  roots = malloc((size_t)most * sizeof *roots);
  for (int i = 0; i < 2; i++) buffers[i] = malloc((size_t)most * TOGETHER * sizeof *roots);
  if (!roots || !buffers[0] || !buffers[1]) return 0;
  for (int k = 0; k < most; k++) {
    double angle = 2 * M_PI * k / most;
    roots[k] = (ft_complex){cos(angle), -sin(angle)};
  }
  return 1;
}

static inline ft_complex add(ft_complex a, ft_complex b) { return (ft_complex){a.re + b.re, a.im + b.im}; }
static inline ft_complex subtract(ft_complex a, ft_complex b) { return (ft_complex){a.re - b.re, a.im - b.im}; }
static inline ft_complex multiply(ft_complex a, ft_complex b) {
  return (ft_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Places of the elements t of a step, or of its results k.
struct places {
  ft_complex *at[4];
  long step;
};

// Sums of four elements, in the order of k.
static inline __attribute__((always_inline)) void transform4(const ft_complex x[4], ft_complex y[4]) {
  ft_complex even = add(x[0], x[2]), odd = add(x[1], x[3]);
  ft_complex a = subtract(x[0], x[2]), b = subtract(x[1], x[3]);
  y[0] = add(even, odd);
  y[1] = (ft_complex){a.re + b.im, a.im - b.re};
  y[2] = subtract(even, odd);
  y[3] = (ft_complex){a.re - b.im, a.im + b.re};
}

// For p = 0 all factors are 1.
static inline __attribute__((always_inline)) void run4(struct places from, struct places to, long count,
                                                       const ft_complex *w, int is_plain) {
  const ft_complex *x0 = from.at[0], *x1 = from.at[1], *x2 = from.at[2], *x3 = from.at[3];
  ft_complex *restrict y0 = to.at[0], *restrict y1 = to.at[1], *restrict y2 = to.at[2], *restrict y3 = to.at[3];
  for (long i = 0; i < count; i++) {
    ft_complex y[4];
    transform4((ft_complex[4]){*x0, *x1, *x2, *x3}, y);
    *y0 = y[0];
    *y1 = is_plain ? y[1] : multiply(y[1], w[0]);
    *y2 = is_plain ? y[2] : multiply(y[2], w[1]);
    *y3 = is_plain ? y[3] : multiply(y[3], w[2]);
    x0 += from.step, x1 += from.step, x2 += from.step, x3 += from.step;
    y0 += to.step, y1 += to.step, y2 += to.step, y3 += to.step;
  }
}

static void run2(struct places from, struct places to, long count) {
  for (long i = 0; i < count; i++) {
    ft_complex a = from.at[0][i * from.step], b = from.at[1][i * from.step];
    to.at[0][i * to.step] = add(a, b);
    to.at[1][i * to.step] = subtract(a, b);
  }
}

// One side of a step: the lines, or a buffer with `columns` elements per row.
struct side {
  ft_complex *base;
  const ft_lines *lines;
};

// Places of rows `row`, `row + distance`, ...
static inline struct places places_of(struct side side, long columns, long row, long distance, int radix) {
  struct places places = {.step = side.lines ? side.lines->step : 1};
  for (int t = 0; t < radix; t++) {
    long at = row + t * distance;
    places.at[t] = side.base + (side.lines ? side.lines->rows[at] : at * columns);
  }
  return places;
}

static void step(int length, int radix, int s, long columns, struct side from, struct side to) {
  int m = length / (s * radix);
  // Rows q of buffers follow each other, so they count as columns.
  int is_whole = !from.lines && !to.lines;
  int blocks = is_whole ? 1 : s;
  long count = is_whole ? s * columns : columns;
  for (int p = 0; p < m; p++) {
    long root = (long)p * s * (longest / length);
    ft_complex w[3] = {roots[root], roots[2 * root], roots[radix == 4 ? 3 * root : 0]};
    for (int q = 0; q < blocks; q++) {
      struct places read = places_of(from, columns, q + (long)s * p, (long)s * m, radix);
      struct places write = places_of(to, columns, q + (long)s * radix * p, s, radix);
      if (radix == 2) {
        run2(read, write, count);
      } else if (p == 0) {
        run4(read, write, count, w, 1);
      } else {
        run4(read, write, count, w, 0);
      }
    }
  }
}

void ft_transform(int length, long columns, const ft_complex *from, ft_lines from_lines, ft_complex *to,
                  ft_lines to_lines) {
  for (long first = 0; first < columns; first += TOGETHER) {
    long together = columns - first < TOGETHER ? columns - first : TOGETHER;
    // Nothing is written through the side that is read.
    struct side read = {(ft_complex *)from + first * from_lines.step, &from_lines};
    int turn = 0;
    for (int s = 1; s < length;) {
      int radix = length / s >= 4 ? 4 : 2, is_last = s * radix == length;
      struct side write = is_last ? (struct side){to + first * to_lines.step, &to_lines}
                                  : (struct side){buffers[turn], 0};
      step(length, radix, s, together, read, write);
      read = write;
      turn = 1 - turn;
      s *= radix;
    }
  }
}
