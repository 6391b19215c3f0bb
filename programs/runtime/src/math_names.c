// SPDX-License-Identifier: Apache-2.0
// Names under which functions of picolibc call those of this runtime.

#include <math.h>

double _cos(double x);
double _sin(double x);
double _pow(double x, double y);

double _cos(double x) { return cos(x); }
double _sin(double x) { return sin(x); }
double _pow(double x, double y) { return pow(x, y); }
