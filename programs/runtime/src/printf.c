// SPDX-License-Identifier: Apache-2.0
// Formatted output. Text goes to a sink, so that printf needs no buffer and snprintf no console.

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "noccl.h"
#include "text.h"

// Twice in the library: where a program computes with long doubles, the linker script (memory.ld) takes the functions of printf_long.c,
// which print them, too; no other program has an instruction for that.
#ifdef LONG_DOUBLE
#define NAME(FUNCTION) __noccl_long_##FUNCTION
#else
#define NAME(FUNCTION) FUNCTION
#endif

#ifndef LONG_DOUBLE
void __noccl_put(sink *out, char character) {
  if (!out->text) {
    noccl_store(NOCCL_PORT_CONSOLE, (unsigned char)character);
  } else if (out->count + 1 < out->most) {
    out->text[out->count] = character;
  }
  out->count++;
}

static void repeat(sink *out, char character, long count) {
  while (count-- > 0) __noccl_put(out, character);
}

void __noccl_field(sink *out, const field *format, const char *sign, const char *text, long length,
                   long zeros) {
  long sign_length = (long)strlen(sign);
  long spaces = format->width - sign_length - zeros - length;
  if (!format->is_left) repeat(out, ' ', spaces);
  while (*sign) __noccl_put(out, *sign++);
  repeat(out, '0', zeros);
  for (long i = 0; i < length; i++) __noccl_put(out, text[i]);
  if (format->is_left) repeat(out, ' ', spaces);
}

const char *__noccl_sign(const field *format, int is_negative) {
  if (is_negative) return "-";
  return format->is_signed ? "+" : format->is_spaced ? " " : "";
}

#endif

static void put_integer(sink *out, field *format, uint64_t value, const char *sign, char conversion) {
  char digits[24], *at = digits + sizeof digits;
  unsigned base = conversion == 'o' ? 8 : (conversion | 32) == 'x' ? 16 : 10;
  const char *all = conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  for (uint64_t rest = value; rest; rest /= base) *--at = all[rest % base];
  long length = digits + sizeof digits - at;
  long precision = format->precision < 0 ? 1 : format->precision;
  if (format->is_alternate && base == 8 && precision <= length) precision = length + 1;
  if (format->is_alternate && base == 16 && value) sign = conversion == 'X' ? "0X" : "0x";
  long zeros = precision > length ? precision - length : 0;
  if (format->precision < 0 && format->is_zero && !format->is_left) {
    long wide = format->width - (long)strlen(sign) - length;
    if (wide > zeros) zeros = wide;
  }
  __noccl_field(out, format, sign, at, length, zeros);
}

// It would be read as a double, and all arguments behind it wrongly.
static _Noreturn __attribute__((noinline, cold)) void refuse_long_double(void) {
  __noccl_assert("printf of no long double; accepted: (double) and a conversion without L", __FILE_NAME__, __LINE__);
}

#ifdef LONG_DOUBLE
// Puts the double of the next argument, a long double, in its second half, where a double is read next. A list is the address of the
// next argument (calling convention of RISC-V).
static void next_long_double(va_list *arguments) {
  va_list behind;
  va_copy(behind, *arguments);
  double value = (double)va_arg(behind, long double);
  *arguments = (char *)behind - sizeof value;
  memcpy(*arguments, &value, sizeof value);
  va_end(behind);
}
#endif

// Length of an integer argument in bytes; `h` twice is one byte.
static int length_of(const char **format) {
  int bytes = sizeof(int);
  for (;; (*format)++) {
    switch (**format) {
      case 'h': bytes /= 2; break;
      case 'l':
      case 'z':
      case 't':
      case 'j': bytes = 8; break;
      case 'L': refuse_long_double();
      default: return bytes;
    }
  }
}

static uint64_t unsigned_argument(va_list *arguments, int bytes) {
  uint64_t value = bytes == 8 ? va_arg(*arguments, uint64_t) : va_arg(*arguments, unsigned);
  return bytes == 8 ? value : value & ((1ull << 8 * bytes) - 1);
}

static int64_t signed_argument(va_list *arguments, int bytes) {
  uint64_t value = unsigned_argument(arguments, bytes) << (64 - 8 * bytes);
  return (int64_t)value >> (64 - 8 * bytes);
}

static void put_text(sink *out, const field *format, const char *text) {
  if (!text) text = "(null)";
  size_t most = format->precision < 0 ? SIZE_MAX : (size_t)format->precision;
  __noccl_field(out, format, "", text, (long)strnlen(text, most), 0);
}

static void convert(sink *out, field *format, char conversion, int bytes, va_list *arguments) {
  switch (conversion) {
    case 'd':
    case 'i': {
      int64_t value = signed_argument(arguments, bytes);
      uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
      put_integer(out, format, magnitude, __noccl_sign(format, value < 0), conversion);
      break;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': put_integer(out, format, unsigned_argument(arguments, bytes), "", conversion); break;
    case 'p':
      format->is_alternate = 1;
      put_integer(out, format, va_arg(*arguments, uintptr_t), "", 'x');
      break;
    case 'c': {
      char character = (char)va_arg(*arguments, int);
      __noccl_field(out, format, "", &character, 1, 0);
      break;
    }
    case 's': put_text(out, format, va_arg(*arguments, const char *)); break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': __noccl_put_double(out, format, va_arg(*arguments, double), conversion); break;
    case '%': __noccl_put(out, '%'); break;
    default:
      __noccl_put(out, '%');
      __noccl_put(out, conversion);
  }
}

static int is_flag(field *format, char character) {
  switch (character) {
    case '-': return format->is_left = 1;
    case '+': return format->is_signed = 1;
    case ' ': return format->is_spaced = 1;
    case '0': return format->is_zero = 1;
    case '#': return format->is_alternate = 1;
    default: return 0;
  }
}

static int number(const char **format, va_list *arguments) {
  if (**format == '*') {
    (*format)++;
    return va_arg(*arguments, int);
  }
  int value = 0;
  for (; **format >= '0' && **format <= '9'; (*format)++) value = 10 * value + (**format - '0');
  return value;
}

static int print(sink *out, const char *format, va_list *arguments) {
  for (; *format; format++) {
    if (*format != '%') {
      __noccl_put(out, *format);
      continue;
    }
    field wanted = {.precision = -1};
    format++;
    while (is_flag(&wanted, *format)) format++;
    wanted.width = number(&format, arguments);
    if (wanted.width < 0) {
      wanted.is_left = 1;
      wanted.width = -wanted.width;
    }
    if (*format == '.') {
      format++;
      wanted.precision = number(&format, arguments);
    }
#ifdef LONG_DOUBLE
    if (*format == 'L' && strchr("fFeEgG", format[1])) {
      next_long_double(arguments);
      format++;
    }
#endif
    int bytes = length_of(&format);
    if (!*format) break;
    convert(out, &wanted, *format, bytes, arguments);
  }
  return (int)out->count;
}

// Without a place for text the console takes it.
int NAME(vprintf)(const char *format, va_list arguments) {
  sink out = {0};
  va_list copy;
  va_copy(copy, arguments);
  int count = print(&out, format, &copy);
  va_end(copy);
  return count;
}

int NAME(vsnprintf)(char *text, size_t bytes, const char *format, va_list arguments) {
  // Without one here, it is only counted.
  char nothing;
  sink out = {.text = text ? text : &nothing, .most = bytes};
  va_list copy;
  va_copy(copy, arguments);
  int count = print(&out, format, &copy);
  va_end(copy);
  if (bytes > 0) text[out.count < bytes ? out.count : bytes - 1] = 0;
  return count;
}

int NAME(printf)(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = NAME(vprintf)(format, arguments);
  va_end(arguments);
  return count;
}

int NAME(snprintf)(char *text, size_t bytes, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = NAME(vsnprintf)(text, bytes, format, arguments);
  va_end(arguments);
  return count;
}

int NAME(sprintf)(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = NAME(vsnprintf)(text, SIZE_MAX, format, arguments);
  va_end(arguments);
  return count;
}

#ifndef LONG_DOUBLE
// For the linker script, which cannot name what it replaces.
#define ALSO(FUNCTION) extern __typeof__(FUNCTION) __noccl_plain_##FUNCTION __attribute__((alias(#FUNCTION)))
ALSO(printf);
ALSO(vprintf);
ALSO(sprintf);
ALSO(snprintf);
ALSO(vsnprintf);

int putchar(int character) {
  noccl_store(NOCCL_PORT_CONSOLE, (unsigned char)character);
  return (unsigned char)character;
}

int puts(const char *text) {
  while (*text) putchar(*text++);
  return putchar('\n');
}
#endif
