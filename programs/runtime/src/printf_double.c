// SPDX-License-Identifier: Apache-2.0
// Conversions of doubles: fixed, with an exponent, or the shorter of both.

#include <math.h>
#include <string.h>

#include "decimal.h"
#include "text.h"

// What is put: digits from `first` on before the point (none: one zero), so many after it, an exponent.
typedef struct {
  const decimal *value;
  long before, after;
  int has_point;
  char exponent[8];
} layout;

static char digit(const decimal *value, long place) {
  return place >= 0 && place < value->count ? value->digits[place] : '0';
}

// Digits are put one by one, as there may be more than any buffer holds. The digit before the point is at `before` - 1.
static void put(sink *out, const field *format, const char *sign, const layout *shape) {
  long length = (shape->before > 0 ? shape->before : 1) + shape->has_point + shape->after +
                (long)strlen(shape->exponent);
  long padding = format->width - length - (long)strlen(sign);
  int has_zeros = format->is_zero && !format->is_left;
  for (long i = padding; i > 0 && !format->is_left && !has_zeros; i--) __noccl_put(out, ' ');
  while (*sign) __noccl_put(out, *sign++);
  for (long i = padding; i > 0 && has_zeros; i--) __noccl_put(out, '0');
  if (shape->before <= 0) __noccl_put(out, '0');
  for (long i = 0; i < shape->before; i++) __noccl_put(out, digit(shape->value, i));
  if (shape->has_point) __noccl_put(out, '.');
  for (long i = 0; i < shape->after; i++) __noccl_put(out, digit(shape->value, shape->before + i));
  for (const char *at = shape->exponent; *at; at++) __noccl_put(out, *at);
  for (long i = padding; i > 0 && format->is_left; i--) __noccl_put(out, ' ');
}

static void write_exponent(char *text, int exponent, char letter) {
  int magnitude = exponent < 0 ? -exponent : exponent;
  *text++ = letter;
  *text++ = exponent < 0 ? '-' : '+';
  if (magnitude >= 100) *text++ = (char)('0' + magnitude / 100);
  *text++ = (char)('0' + magnitude / 10 % 10);
  *text++ = (char)('0' + magnitude % 10);
  *text = 0;
}

static void put_special(sink *out, field *format, double value, const char *sign, int is_upper) {
  const char *text = isnan(value) ? (is_upper ? "NAN" : "nan") : (is_upper ? "INF" : "inf");
  __noccl_field(out, format, sign, text, 3, 0);
}

void __noccl_put_double(sink *out, field *format, double value, char conversion) {
  int is_upper = conversion < 'a';
  char kind = (char)(conversion | 32);
  const char *sign = __noccl_sign(format, signbit(value) != 0);
  if (!isfinite(value)) {
    put_special(out, format, value, sign, is_upper);
    return;
  }
  decimal digits;
  __noccl_decimal(value, &digits);
  long precision = format->precision < 0 ? 6 : format->precision;
  layout shape = {.value = &digits};
  int is_short = kind == 'g';
  if (is_short) {
    if (precision == 0) precision = 1;
    __noccl_round(&digits, (int)precision);
    int exponent = digits.count ? digits.point - 1 : 0;
    int is_fixed = exponent >= -4 && exponent < precision;
    kind = is_fixed ? 'f' : 'e';
    precision = is_fixed ? precision - 1 - exponent : precision - 1;
  }
  if (kind == 'f') {
    __noccl_round(&digits, digits.point + (int)precision);
    shape.before = digits.count ? digits.point : 0;
  } else {
    __noccl_round(&digits, (int)precision + 1);
    write_exponent(shape.exponent, digits.count ? digits.point - 1 : 0, is_upper ? 'E' : 'e');
    shape.before = 1;
  }
  shape.after = precision;
  if (is_short && !format->is_alternate) {
    // Trailing zeros go, and a point without digits.
    long last = digits.count - shape.before;
    shape.after = last < 0 || !digits.count ? 0 : last;
  }
  shape.has_point = shape.after > 0 || format->is_alternate;
  put(out, format, sign, &shape);
}
