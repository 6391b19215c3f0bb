// SPDX-License-Identifier: Apache-2.0
// Bytes and strings. Copies move words of eight bytes; loops must not become calls of the functions that they are.

#include <stdint.h>
#include <string.h>

#pragma GCC optimize("no-tree-loop-distribute-patterns")

// A word at any address, whatever else is kept there.
typedef uint64_t __attribute__((may_alias, aligned(1))) word;

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  char *out = to;
  const char *in = from;
  for (; bytes >= 32; bytes -= 32, out += 32, in += 32) {
    word a = ((const word *)in)[0], b = ((const word *)in)[1];
    word c = ((const word *)in)[2], d = ((const word *)in)[3];
    ((word *)out)[0] = a, ((word *)out)[1] = b;
    ((word *)out)[2] = c, ((word *)out)[3] = d;
  }
  for (; bytes >= 8; bytes -= 8, out += 8, in += 8) *(word *)out = *(const word *)in;
  while (bytes--) *out++ = *in++;
  return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
  char *out = to;
  const char *in = from;
  if ((uintptr_t)out - (uintptr_t)in >= bytes) return memcpy(to, from, bytes);
  while (bytes >= 8) {
    bytes -= 8;
    *(word *)(out + bytes) = *(const word *)(in + bytes);
  }
  while (bytes--) out[bytes] = in[bytes];
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  char *out = to;
  word all = 0x0101010101010101u * (unsigned char)value;
  for (; bytes >= 8; bytes -= 8, out += 8) *(word *)out = all;
  while (bytes--) *out++ = (char)value;
  return to;
}

int memcmp(const void *a, const void *b, size_t bytes) {
  const unsigned char *x = a, *y = b;
  for (; bytes--; x++, y++)
    if (*x != *y) return *x - *y;
  return 0;
}

void *memchr(const void *bytes, int value, size_t count) {
  const unsigned char *at = bytes;
  for (; count--; at++)
    if (*at == (unsigned char)value) return (void *)at;
  return 0;
}

size_t strlen(const char *text) { return strnlen(text, SIZE_MAX); }

size_t strnlen(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length]) length++;
  return length;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, SIZE_MAX); }

int strncmp(const char *a, const char *b, size_t most) {
  for (; most--; a++, b++)
    if (*a != *b || !*a) return (unsigned char)*a - (unsigned char)*b;
  return 0;
}

char *strcpy(char *restrict to, const char *restrict from) {
  memcpy(to, from, strlen(from) + 1);
  return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t count) {
  size_t length = strnlen(from, count);
  memcpy(to, from, length);
  memset(to + length, 0, count - length);
  return to;
}

char *strcat(char *restrict to, const char *restrict from) {
  strcpy(to + strlen(to), from);
  return to;
}

char *strchr(const char *text, int value) {
  for (;; text++) {
    if (*text == (char)value) return (char *)text;
    if (!*text) return 0;
  }
}

char *strrchr(const char *text, int value) {
  const char *found = 0;
  for (;; text++) {
    if (*text == (char)value) found = text;
    if (!*text) return (char *)found;
  }
}

char *strstr(const char *text, const char *part) {
  size_t length = strlen(part);
  for (;; text++) {
    if (strncmp(text, part, length) == 0) return (char *)text;
    if (!*text) return 0;
  }
}
