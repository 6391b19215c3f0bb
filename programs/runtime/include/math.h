// SPDX-License-Identifier: Apache-2.0
// Mathematical functions. Those below are this runtime's; their errors in units in the last place (ulp) are at most those given, and a
// test measures them against the host's `long double` functions. Exact results raise no flag that they should not; errno is not set.
// All others are picolibc's.
//
//   correctly rounded: sqrt sqrtf fma
//   exact: fabs fabsf copysign floor ceil trunc round fmod fmin fmax frexp modf
//   rounded once: ldexp scalbn
//   at most 0.51 ulp, 0.76 where the result is subnormal: exp log log2 log10 pow
//   at most 0.8 ulp, for all arguments: sin cos
//   at most 2 ulp: tan
#ifndef NOCCL_MATH_H
#define NOCCL_MATH_H

// The inline functions of picolibc for these cores are not those below.
#define _MACHINE_MATH_H_
#include_next <math.h>

#undef HUGE_VAL
#undef INFINITY
#undef NAN
#define HUGE_VAL (__builtin_huge_val())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

// Of any floating-point type.
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

// A function of this runtime.
#undef log2

// Single instructions, in place of calls.
#define sqrt(x) __builtin_sqrt(x)
#define sqrtf(x) __builtin_sqrtf(x)
#define fabs(x) __builtin_fabs(x)
#define fabsf(x) __builtin_fabsf(x)
#define fma(x, y, z) __builtin_fma(x, y, z)
#define copysign(x, y) __builtin_copysign(x, y)

#endif
