// SPDX-License-Identifier: Apache-2.0
// Mathematical functions of double precision. Errors in units in the last place (ulp) are at most those stated; a test
// measures them against the host's `long double` functions. Exact results raise no flag that they should not; errno is
// not set.
#ifndef NOCCL_MATH_H
#define NOCCL_MATH_H

#define HUGE_VAL (__builtin_huge_val())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

// Correctly rounded.
double sqrt(double x);
float sqrtf(float x);
double fma(double x, double y, double z);

// Exact.
double fabs(double x);
float fabsf(float x);
double copysign(double x, double y);
double floor(double x);
double ceil(double x);
double trunc(double x);
double round(double x);
double fmod(double x, double y);
double fmin(double x, double y);
double fmax(double x, double y);
double frexp(double x, int *exponent);
double modf(double x, double *whole);
// Rounded once.
double ldexp(double x, int exponent);
double scalbn(double x, int exponent);

// At most 0.51 ulp; 0.76 where the result is below the normal numbers.
double exp(double x);
double log(double x);
double log2(double x);
double log10(double x);
double pow(double x, double y);
// At most 0.8 ulp, for all arguments.
double sin(double x);
double cos(double x);
// At most 2 ulp.
double tan(double x);

// Single instructions, in place of calls.
#define sqrt(x) __builtin_sqrt(x)
#define sqrtf(x) __builtin_sqrtf(x)
#define fabs(x) __builtin_fabs(x)
#define fabsf(x) __builtin_fabsf(x)
#define fma(x, y, z) __builtin_fma(x, y, z)
#define copysign(x, y) __builtin_copysign(x, y)

#endif
