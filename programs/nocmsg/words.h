// SPDX-License-Identifier: Apache-2.0
// Inside the library: bytes as pairs of words and words, from and to a place that moves on by itself, a port or memory.
//
// Four pairs at a time: what a loop costs besides is then a few cycles of 32 bytes.
#ifndef NOCMSG_WORDS_H
#define NOCMSG_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Data of any type and at any address: the core takes misaligned words in one access.
typedef uint64_t __attribute__((may_alias)) two_words;
typedef uint32_t __attribute__((may_alias)) one_word;

// `pair` and `word` are expressions that give the next two words and the next one.
#define NM_READ_ALL(data, bytes, pair, word)        \
  do {                                              \
    two_words *to = (two_words *)(data);            \
    size_t left = (bytes);                          \
    for (; left >= 32; left -= 32, to += 4) {       \
      to[0] = pair;                                 \
      to[1] = pair;                                 \
      to[2] = pair;                                 \
      to[3] = pair;                                 \
    }                                               \
    for (; left >= 8; left -= 8) *to++ = pair;      \
    char *rest = (char *)to;                        \
    if (left >= 4) {                                \
      *(one_word *)rest = word;                     \
      rest += 4;                                    \
      left -= 4;                                    \
    }                                               \
    if (left) {                                     \
      uint32_t last = word;                         \
      memcpy(rest, &last, left);                    \
    }                                               \
  } while (0)

// `write_pair` and `write_word` take the next two words, and the next one.
#define NM_WRITE_ALL(data, bytes, write_pair, write_word) \
  do {                                                    \
    const two_words *from = (const two_words *)(data);    \
    size_t left = (bytes);                                \
    for (; left >= 32; left -= 32, from += 4) {           \
      write_pair(from[0]);                                \
      write_pair(from[1]);                                \
      write_pair(from[2]);                                \
      write_pair(from[3]);                                \
    }                                                     \
    for (; left >= 8; left -= 8) write_pair(*from++);     \
    const char *rest = (const char *)from;                \
    if (left >= 4) {                                      \
      write_word(*(const one_word *)rest);                \
      rest += 4;                                          \
      left -= 4;                                          \
    }                                                     \
    if (left) {                                           \
      uint32_t last = 0;                                  \
      memcpy(&last, rest, left);                          \
      write_word(last);                                   \
    }                                                     \
  } while (0)

#endif
