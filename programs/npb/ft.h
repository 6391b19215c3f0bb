// SPDX-License-Identifier: Apache-2.0
// FT: complex numbers, and discrete Fourier transforms of many lines at once.
#ifndef NPB_FT_H
#define NPB_FT_H

typedef struct {
  double re, im;
} ft_complex;

// Where lines lie: element `row` of line `column` stands at rows[row] + column * step.
typedef struct {
  const long *rows;
  long step;
} ft_lines;

// Lines of up to `longest` elements, a power of two. 0 if there is no memory.
int ft_prepare(int longest);

// Y[k] = sum over j of X[j] exp(-2 pi i j k / length), for each column. The length is a power of two, at least 4. Both
// places may be one. With the rows of `to` in the order 0, length - 1, ..., 1 this is the inverse, times the length.
void ft_transform(int length, long columns, const ft_complex *from, ft_lines from_lines, ft_complex *to,
                  ft_lines to_lines);

#endif
