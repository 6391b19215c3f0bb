// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error, by all functions that write to them.

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int say(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vfprintf(stream, format, arguments);
  va_end(arguments);
  return count;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("%d %s %.3f\n", 1, "printf", 2.5);
  fprintf(stdout, "%5d|%-5d|%05d|%+d\n", 42, 42, 42, 42);
  fprintf(stderr, "error %d\n", 3);
  int written = say(stderr, "%s %g\n", "vfprintf", 0.1);
  say(stdout, "%d characters\n", written);
  fputs("fputs\n", stdout);
  fputs("to standard error\n", stderr);
  fputc('c', stdout);
  putc('\n', stderr);
  putchar('\n');
  puts("puts");
  printf("%d %d\n", (int)fwrite("abcd\n", 1, 5, stdout), fflush(stdout));
  errno = ENOENT;
  perror("perror");
  char text[16], *made = NULL;
  int needed = snprintf(text, sizeof text, "%s", "longer than the buffer");
  printf("%d '%s'\n", needed, text);
  sprintf(text, "%x %o %c", 255, 8, 'z');
  printf("%s %zu\n", text, strlen(text));
  // Longer than any buffer of the library.
  char line[700];
  memset(line, '.', sizeof line);
  line[sizeof line - 1] = 0;
  fprintf(stderr, "%s%d\n", line, 1);
  printf("%5.1e %G %#x %% %p\n", 12345.678, 1e-10, 255u, (void *)0x10);
  free(made);
  fflush(NULL);
  return 0;
}
