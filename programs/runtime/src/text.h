// SPDX-License-Identifier: Apache-2.0
#ifndef NOCCL_TEXT_H
#define NOCCL_TEXT_H

#include <stddef.h>

// Before a character of standard error on the console; the simulator takes it away (crates/noccl/src/program/console.rs).
#define ERROR_MARK 0x0e

// Where text goes: up to `most` bytes with a final zero, or the console if `text` is null. All is counted.
typedef struct {
  char *text;
  size_t most;
  size_t count;
} sink;

// Flags, width and precision of a conversion; precision -1 is none.
typedef struct {
  int is_left, is_signed, is_spaced, is_zero, is_alternate;
  int width, precision;
} field;

void __noccl_put(sink *out, char character);
const char *__noccl_sign(const field *format, int is_negative);
// A sign or prefix, zeros and text, in the field's width.
void __noccl_field(sink *out, const field *format, const char *sign, const char *text, long length,
                   long zeros);
void __noccl_put_double(sink *out, field *format, double value, char conversion);

#endif
