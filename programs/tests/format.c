// SPDX-License-Identifier: Apache-2.0
// Conversions of numbers and strings in all forms.

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double numbers[] = {
    0.0,    -0.0,     1.0,       -1.5,     0.1,       123456789.0, 0.5,    1.5,     2.5,
    9.9995, 99999.5,  0.0001,    0.000099, 1e15,      1e16,        1e17,   123456.5, 1e-5,
    1e22,   1e23,     1.0 / 3.0, DBL_MAX,  DBL_MIN,   5e-324,      4.35,   0.045,   1e100,
    2e-308, 9.5e-320, 0.95,      99999.95, 1234567.0, 1e-300,      65536.0};
static const char *formats[] = {"%f",    "%e",   "%g",     "%.0f",  "%.0e",  "%.0g",   "%#.0f", "%10.3f",
                                "%-12.4e|", "%+g", "% .3f", "%012.2f", "%.17g", "%.20f", "%#g",  "%G",
                                "%E",    "%.1f", "%25.15e", "%+.3g", "%.40g", "%-+9.1f|"};

int main(void) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    for (size_t j = 0; j < sizeof formats / sizeof *formats; j++) {
      printf(formats[j], numbers[i]);
      putchar(j % 4 == 3 ? '\n' : ' ');
    }
  printf("\n%f %F %5.1e|%-6G|%06f\n", (double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)NAN, (double)INFINITY);
  static const long long integers[] = {0, 1, -1, 42, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN, 255, 100};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    long long n = integers[i];
    printf("%d %i %u %x %X %o|", (int)n, (int)n, (unsigned)n, (unsigned)n, (unsigned)n, (unsigned)n);
    printf("%hhd %hd %ld %lld %zu %jx|", (signed char)n, (short)n, (long)n, n, (size_t)n, (uintmax_t)n);
    printf("%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3x|%#x|%#o|%#.0o\n", (int)n, (int)n, (int)n, (int)n, (int)n,
           (int)n, (int)n, (unsigned)n, (unsigned)n, (unsigned)n, (unsigned)n);
  }
  printf("%.0d|%.0d|%08.3d|%*d|%-*d|%.*f\n", 0, 5, 5, 7, 42, 7, 42, 2, 3.14159);
  printf("%s|%10s|%-10s|%.2s|%c|%5c|%-5c|%%\n", "text", "text", "text", "text", 'x', 'y', 'z');
  char small[8];
  int wanted = snprintf(small, sizeof small, "%d-%s", 12345, "abcdef");
  printf("%d %s %d\n", wanted, small, snprintf(NULL, 0, "%g", 0.1));
  printf("%ld %ld %ld %ld\n", strtol(" -42x", NULL, 10), strtol("0x1f", NULL, 0), strtol("077", NULL, 0),
         strtol("99999999999999999999", NULL, 10));
  char buffer[64] = "abc";
  strcat(strcpy(buffer + 10, "def"), "ghi");
  memmove(buffer + 1, buffer, 30);
  printf("%s %s %s %d %d\n", buffer, buffer + 11, strstr(buffer + 11, "gh"), strcmp("a", "b") < 0, (int)strlen(buffer));
  return 0;
}
