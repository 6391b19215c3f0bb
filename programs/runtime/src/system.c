// SPDX-License-Identifier: Apache-2.0
// What programs ask about the system around them.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "noccl.h"

static char *no_environment[] = {0};

// The loader writes the address of the list of `noccl run program --env` over it (crates/noccl-riscv/src/core/arguments.rs).
char **environ = no_environment;

pid_t getpid(void) { return noccl_rank() + 1; }

pid_t getppid(void) { return 1; }

// The tile: its column and row.
int gethostname(char *name, size_t bytes) {
  int count = snprintf(name, bytes, "tile-%d-%d", noccl_column(), noccl_row());
  if (count < (int)bytes) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

int isatty(int file) {
  (void)file;
  errno = ENOTTY;
  return 0;
}

char *getcwd(char *folder, size_t bytes) {
  if (folder && bytes >= 2) return strcpy(folder, "/");
  errno = folder ? ERANGE : EINVAL;
  return 0;
}

// Pages are those of the checkpoints; a rank has one processor and no limit else.
long sysconf(int name) {
  switch (name) {
    case _SC_PAGESIZE: return 4096;
    case _SC_CLK_TCK: return CLOCKS_PER_SEC;
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return 1;
    case _SC_HOST_NAME_MAX: return 64;
    default: errno = EINVAL; return -1;
  }
}

// There is no shell.
int system(const char *command) {
  if (!command) return 0;
  errno = ENOSYS;
  return -1;
}
