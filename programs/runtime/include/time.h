// SPDX-License-Identifier: Apache-2.0
// Time: the cycle of the rank at the network's clock, from 1970-01-01 at cycle 0 (src/time.c). All clocks are one.
#ifndef NOCCL_TIME_H
#define NOCCL_TIME_H

// What <time.h> declares of POSIX.
#ifndef _POSIX_TIMERS
#define _POSIX_TIMERS 1
#endif
#ifndef _POSIX_MONOTONIC_CLOCK
#define _POSIX_MONOTONIC_CLOCK 200112L
#endif
#ifndef _POSIX_CPUTIME
#define _POSIX_CPUTIME 1
#endif

#include_next <time.h>

#endif
