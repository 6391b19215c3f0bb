// SPDX-License-Identifier: Apache-2.0
// The program's surroundings: arguments, environment, time, process, its end.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static jmp_buf back;

static void first_at_exit(void) { printf("registered first\n"); }
static void last_at_exit(void) { printf("registered last\n"); }

static double seconds(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

static void times(void) {
  double begin = seconds();
  struct timespec from, to, pause = {0, 1000000};
  clock_gettime(CLOCK_MONOTONIC, &from);
  usleep(20000);
  nanosleep(&pause, NULL);
  clock_gettime(CLOCK_MONOTONIC, &to);
  double slept = seconds() - begin, same = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
  printf("slept %d, by both clocks %d\n", slept > 0.0209 && slept < 5, same > 0.0209 && same < 5);
  printf("clock %d %ld\n", clock() >= 0, (long)CLOCKS_PER_SEC);
  printf("time %d\n", time(NULL) >= 0);
  time_t day = 86400;
  char text[32];
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime(&day));
  printf("%s\n", text);
}

int main(int argc, char **argv) {
  atexit(first_at_exit);
  atexit(last_at_exit);
  for (int i = 1; i < argc; i++) printf("argument %d is '%s'\n", i, argv[i]);
  printf("%d %d\n", argv[argc] == NULL, argv[0] != NULL);
  const char *size = getenv("SIZE");
  printf("SIZE is %s, ABSENT %s\n", size ? size : "not there", getenv("NOCCL_ABSENT") ? "is there" : "is not");
  setenv("NOCCL_OTHER", "later", 1);
  printf("%s\n", getenv("NOCCL_OTHER"));
  char host[64] = "";
  int failed = gethostname(host, sizeof host);
  printf("%d %d %d\n", failed, strlen(host) > 0, getpid() > 0);
  printf("%ld %d %ld\n", sysconf(_SC_PAGESIZE), sysconf(_SC_NPROCESSORS_ONLN) > 0, sysconf(-5));
  if (!setjmp(back)) longjmp(back, 1);
  times();
  exit(3);
}
