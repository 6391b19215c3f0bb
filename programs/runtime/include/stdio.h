// SPDX-License-Identifier: Apache-2.0
// Output on the console of the core. There are no files and no input.
#ifndef NOCCL_STDIO_H
#define NOCCL_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

// Conversions: d i u o x X c s p n f F e E g G and %, with all flags, widths, precisions and lengths of ISO C but for
// `long double`. Numbers are rounded exactly, so the text is that of any correct library.
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int sprintf(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *text, size_t bytes, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list arguments);
int vsnprintf(char *text, size_t bytes, const char *format, va_list arguments);
int putchar(int character);
int puts(const char *text);

#endif
