// SPDX-License-Identifier: Apache-2.0
#ifndef NOCCL_DECIMAL_H
#define NOCCL_DECIMAL_H

enum { DECIMAL_DIGITS = 784 };

// The decimal digits of a finite number, all of them: the value is 0.d1 d2 d3 ... times ten to the power `point`.
// Zero has no digits. The first and the last digit are not zero.
typedef struct {
  int count;
  int point;
  char digits[DECIMAL_DIGITS];
} decimal;

void __noccl_decimal(double x, decimal *result);

// Rounds to so many digits, ties to even; digits that are not there are zeros.
void __noccl_round(decimal *value, int digits);

#endif
