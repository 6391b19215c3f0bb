// SPDX-License-Identifier: Apache-2.0
#ifndef NOCCL_FILES_H
#define NOCCL_FILES_H

#include <stddef.h>

// A file that is there before the first instruction. A list of them ends with one without a name. The loader writes it behind the
// arguments of main, and its address over __noccl_files (crates/noccl-riscv/src/core/arguments.rs).
struct given_file {
  const char *name, *data;
  size_t bytes;
};

extern const struct given_file *__noccl_files;

#endif
