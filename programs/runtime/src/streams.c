// SPDX-License-Identifier: Apache-2.0
// The standard streams, and formatted output to any stream. None has a buffer, so that text stays in the order of its output.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noccl.h"
#include "text.h"

static int put_output(char character, FILE *stream) {
  (void)stream;
  noccl_store(NOCCL_PORT_CONSOLE, (unsigned char)character);
  return (unsigned char)character;
}

static int put_error(char character, FILE *stream) {
  noccl_store(NOCCL_PORT_CONSOLE, ERROR_MARK);
  return put_output(character, stream);
}

// Rank 0 reads the file of this name, if `noccl run program --file` gives one; the others have no input, as under mpiexec.
static int get_input(FILE *stream) {
  static FILE *file;
  (void)stream;
  if (!file && noccl_rank() == 0) file = fopen("/dev/stdin", "r");
  int character = file ? fgetc(file) : EOF;
  return character == EOF ? _FDEV_EOF : character;
}

static FILE input = FDEV_SETUP_STREAM(0, get_input, 0, _FDEV_SETUP_READ);
static FILE output = FDEV_SETUP_STREAM(put_output, 0, 0, _FDEV_SETUP_WRITE);
static FILE error = FDEV_SETUP_STREAM(put_error, 0, 0, _FDEV_SETUP_WRITE);

FILE *const stdin = &input;
FILE *const stdout = &output;
FILE *const stderr = &error;

int fflush(FILE *stream) {
  (void)stream;
  return 0;
}

int vasprintf(char **text, const char *format, va_list arguments) {
  int count = vsnprintf(0, 0, format, arguments);
  *text = malloc((size_t)count + 1);
  return *text ? vsnprintf(*text, (size_t)count + 1, format, arguments) : -1;
}

int vfprintf(FILE *stream, const char *format, va_list arguments) {
  if (stream == &output) return vprintf(format, arguments);
  char few[256], *text = few;
  int count = vsnprintf(few, sizeof few, format, arguments);
  if (count >= (int)sizeof few && vasprintf(&text, format, arguments) < 0) return -1;
  size_t written = fwrite(text, 1, (size_t)count, stream);
  if (text != few) free(text);
  return written == (size_t)count ? count : -1;
}

int fprintf(FILE *stream, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vfprintf(stream, format, arguments);
  va_end(arguments);
  return count;
}

int vsprintf(char *text, const char *format, va_list arguments) {
  return vsnprintf(text, SIZE_MAX, format, arguments);
}

int asprintf(char **text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vasprintf(text, format, arguments);
  va_end(arguments);
  return count;
}

// picolibc's loses a last line without an end.
char *fgets(char *text, int bytes, FILE *stream) {
  int count = 0;
  for (int character = 0; count + 1 < bytes && character != '\n'; count++) {
    character = fgetc(stream);
    if (character == EOF) break;
    text[count] = (char)character;
  }
  if (count == 0) return 0;
  text[count] = 0;
  return text;
}
