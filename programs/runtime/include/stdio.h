// SPDX-License-Identifier: Apache-2.0
// Streams. `printf` and its family are those of src/printf.c: all conversions of ISO C but those of wide characters and `%a`; numbers are
// rounded exactly, long doubles to doubles first. Files are in the memory of the rank (src/files.c).
#ifndef NOCCL_STDIO_H
#define NOCCL_STDIO_H

#include_next <stdio.h>

// A function of this runtime, which writes to the console without a stream.
#undef putchar

#endif
