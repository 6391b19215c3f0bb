// SPDX-License-Identifier: Apache-2.0
// Inside the library: bytes as pairs of words and words, from and to a place that moves on by itself, a port or memory.
//
// Four pairs at a time: what a loop costs besides is then a few cycles of 32 bytes. The last bytes without memcpy: who calls nothing saves
// no registers.
#ifndef NOCMSG_WORDS_H
#define NOCMSG_WORDS_H

#include <stddef.h>
#include <stdint.h>

// Data of any type and at any address: the core takes misaligned words in one access.
typedef uint64_t __attribute__((may_alias)) two_words;
typedef uint32_t __attribute__((may_alias)) one_word;

// `pair` and `word` are expressions that give the next two words and the next one.
#define NM_READ_ALL(data, bytes, pair, word)                    \
  do {                                                          \
    two_words *pairs_ = (two_words *)(data);                    \
    size_t left_ = (bytes);                                     \
    for (; left_ >= 32; left_ -= 32, pairs_ += 4) {             \
      pairs_[0] = pair;                                         \
      pairs_[1] = pair;                                         \
      pairs_[2] = pair;                                         \
      pairs_[3] = pair;                                         \
    }                                                           \
    for (; left_ >= 8; left_ -= 8) *pairs_++ = pair;            \
    char *rest_ = (char *)pairs_;                               \
    if (left_ >= 4) {                                           \
      *(one_word *)rest_ = word;                                \
      rest_ += 4;                                               \
      left_ -= 4;                                               \
    }                                                           \
    if (left_) {                                                \
      uint32_t last_ = word;                                    \
      for (; left_; left_--, last_ >>= 8) *rest_++ = (char)last_;\
    }                                                           \
  } while (0)

// `write_pair` and `write_word` take the next two words, and the next one.
#define NM_WRITE_ALL(data, bytes, write_pair, write_word)       \
  do {                                                          \
    const two_words *pairs_ = (const two_words *)(data);        \
    size_t left_ = (bytes);                                     \
    for (; left_ >= 32; left_ -= 32, pairs_ += 4) {             \
      write_pair(pairs_[0]);                                    \
      write_pair(pairs_[1]);                                    \
      write_pair(pairs_[2]);                                    \
      write_pair(pairs_[3]);                                    \
    }                                                           \
    for (; left_ >= 8; left_ -= 8) write_pair(*pairs_++);       \
    const char *rest_ = (const char *)pairs_;                   \
    if (left_ >= 4) {                                           \
      write_word(*(const one_word *)rest_);                     \
      rest_ += 4;                                               \
      left_ -= 4;                                               \
    }                                                           \
    if (left_) {                                                \
      uint32_t last_ = 0;                                       \
      while (left_) last_ = last_ << 8 | (uint8_t)rest_[--left_];\
      write_word(last_);                                        \
    }                                                           \
  } while (0)

#endif
