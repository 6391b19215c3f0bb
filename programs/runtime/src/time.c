// SPDX-License-Identifier: Apache-2.0
// Time: the rank's cycle at the network's clock, from 0. All clocks show it, so equal runs see equal times.

#include <errno.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "noccl.h"

#define NANOSECONDS UINT64_C(1000000000)

// Cycles per second. Programs of calls have another one, that of the network (programs/calls/mpi.c).
uint64_t __noccl_hertz(void);
__attribute__((weak)) uint64_t __noccl_hertz(void) { return 700000000; }

static struct timespec now(void) {
  uint64_t cycle = noccl_cycle(), hertz = __noccl_hertz();
  return (struct timespec){(time_t)(cycle / hertz), (long)(cycle % hertz * NANOSECONDS / hertz)};
}

// The core does nothing for so long.
static void pause_for(uint64_t seconds, uint64_t nanoseconds) {
  uint64_t hertz = __noccl_hertz();
  uint64_t cycles = seconds * hertz + (nanoseconds / NANOSECONDS) * hertz;
  cycles += nanoseconds % NANOSECONDS * hertz / NANOSECONDS;
  noccl_store64(NOCCL_PORT_PAUSE, cycles);
}

time_t time(time_t *where) {
  time_t seconds = now().tv_sec;
  if (where) *where = seconds;
  return seconds;
}

clock_t clock(void) {
  struct timespec at = now();
  return (clock_t)((uint64_t)at.tv_sec * CLOCKS_PER_SEC + (uint64_t)at.tv_nsec / (NANOSECONDS / CLOCKS_PER_SEC));
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec found = now();
  if (at) *at = (struct timeval){found.tv_sec, found.tv_nsec / 1000};
  if (zone) *(struct timezone *)zone = (struct timezone){0, 0};
  return 0;
}

int clock_gettime(clockid_t clock_id, struct timespec *at) {
  (void)clock_id;
  *at = now();
  return 0;
}

int clock_getres(clockid_t clock_id, struct timespec *step) {
  (void)clock_id;
  if (step) *step = (struct timespec){0, 1};
  return 0;
}

clock_t times(struct tms *parts) {
  clock_t ticks = clock();
  if (parts) *parts = (struct tms){ticks, 0, 0, 0};
  return ticks;
}

int nanosleep(const struct timespec *wanted, struct timespec *rest) {
  if (wanted->tv_sec < 0 || wanted->tv_nsec < 0 || (uint64_t)wanted->tv_nsec >= NANOSECONDS) {
    errno = EINVAL;
    return -1;
  }
  pause_for((uint64_t)wanted->tv_sec, (uint64_t)wanted->tv_nsec);
  if (rest) *rest = (struct timespec){0, 0};
  return 0;
}

unsigned sleep(unsigned seconds) {
  pause_for(seconds, 0);
  return 0;
}

int usleep(useconds_t microseconds) {
  pause_for(0, UINT64_C(1000) * microseconds);
  return 0;
}
