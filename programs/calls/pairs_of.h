// SPDX-License-Identifier: Apache-2.0
// Elements of MPI_FLOAT_INT and the like: a value and its index.
#ifndef NOCCL_CALLS_PAIRS_OF_H
#define NOCCL_CALLS_PAIRS_OF_H

struct float_int {
  float value;
  int index;
};
struct double_int {
  double value;
  int index;
};
struct long_int {
  long value;
  int index;
};
struct int_int {
  int value, index;
};
struct short_int {
  short value;
  int index;
};
struct long_double_int {
  long double value;
  int index;
};

#endif
