// SPDX-License-Identifier: Apache-2.0
// Bytes and strings. Copies move words of eight bytes; loops must not become calls of the functions that they are.

#include <stdint.h>
#include <string.h>

#pragma GCC optimize("no-tree-loop-distribute-patterns")

// A word at any address, whatever else is kept there. The core loads and stores it at once; the compiler, which does not know
// that, would take it apart into bytes.
struct word {
  char bytes[8];
};

static inline uint64_t load(const char *at) {
  uint64_t word;
  __asm__("ld %0, %1" : "=r"(word) : "m"(*(const struct word *)at));
  return word;
}

static inline void store(char *at, uint64_t word) { __asm__("sd %1, %0" : "=m"(*(struct word *)at) : "r"(word)); }

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
  char *out = to;
  const char *in = from;
  for (; bytes >= 32; bytes -= 32, out += 32, in += 32) {
    uint64_t a = load(in), b = load(in + 8), c = load(in + 16), d = load(in + 24);
    store(out, a), store(out + 8, b), store(out + 16, c), store(out + 24, d);
  }
  for (; bytes >= 8; bytes -= 8, out += 8, in += 8) store(out, load(in));
  while (bytes--) *out++ = *in++;
  return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
  char *out = to;
  const char *in = from;
  if ((uintptr_t)out - (uintptr_t)in >= bytes) return memcpy(to, from, bytes);
  while (bytes >= 8) {
    bytes -= 8;
    store(out + bytes, load(in + bytes));
  }
  while (bytes--) out[bytes] = in[bytes];
  return to;
}

void *memset(void *to, int value, size_t bytes) {
  char *out = to;
  uint64_t all = UINT64_C(0x0101010101010101) * (unsigned char)value;
  for (; bytes >= 8; bytes -= 8, out += 8) store(out, all);
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
