// SPDX-License-Identifier: Apache-2.0
// Words over the static network. Who waits takes in what comes over the dynamic network: a rank may still be in the middle of a message
// to this one, and only then come to the stream.

#include "credits.h"
#include "noccl.h"
#include "place.h"
#include "words.h"

// Of the ports STATUS and WAIT: at least one word, and at least two, of those that have come; space for as many.
#define COME_ONE (UINT64_C(0xff) << 48)
#define COME_TWO (UINT64_C(0xfe) << 48)
#define SPACE_FOR_ONE (UINT64_C(0xff) << 56)
#define SPACE_FOR_TWO (UINT64_C(0xfe) << 56)

static inline void write32(uint32_t word) {
  nm_until(NOCCL_PORT_STATUS, SPACE_FOR_ONE, NM_ALL_QUEUES);
  noccl_store(NOCCL_PORT_STATIC_SEND, word);
}

// The words are loaded before the space is looked at: meanwhile the network takes those before.
static inline void write64(uint64_t words) {
  __asm__ volatile("" : "+r"(words));
  nm_until(NOCCL_PORT_STATUS, SPACE_FOR_TWO, NM_ALL_QUEUES);
  noccl_store64(NOCCL_PORT_STATIC_SEND, words);
}

static inline uint32_t read32(void) {
  nm_until(NOCCL_PORT_WAIT, COME_ONE, NM_ALL_QUEUES);
  return noccl_load(NOCCL_PORT_STATIC_RECEIVE);
}

// One by one: a FIFO to the core may be of one word.
static __attribute__((noinline)) uint64_t read_slowly(void) {
  uint64_t first = read32();
  return first | (uint64_t)read32() << 32;
}

// A first word is waited for; the second one comes in the next cycle.
static inline uint64_t read64(void) {
  if (__builtin_expect((noccl_load64(NOCCL_PORT_STATUS) & COME_TWO) == 0, 0)) {
    nm_until(NOCCL_PORT_WAIT, COME_ONE, NM_ALL_QUEUES);
    if (!(noccl_load64(NOCCL_PORT_STATUS) & COME_TWO)) return read_slowly();
  }
  return noccl_load64(NOCCL_PORT_STATIC_RECEIVE);
}

void nm_own_configure(uint64_t route) {
  while (!noccl_load(NOCCL_PORT_STATIC_IDLE)) {
    nm_take_in(NM_ALL_QUEUES);
    nm_return_credits();
  }
  noccl_store64(NOCCL_PORT_STATIC_CONFIGURE, route);
}

void nm_configure(uint64_t route) __attribute__((weak, alias("nm_own_configure")));

void nm_own_stream_out(const char *data, size_t bytes, size_t padding) {
  NM_WRITE_ALL(data, bytes, write64, write32);
  for (; padding >= 2; padding -= 2) write64(0);
  if (padding) write32(0);
}

void nm_own_stream_in(char *data, size_t bytes, size_t padding) {
  NM_READ_ALL(data, bytes, read64(), read32());
  for (; padding >= 2; padding -= 2) read64();
  if (padding) read32();
}

void nm_stream_out(const char *data, size_t bytes, size_t padding) __attribute__((weak, alias("nm_own_stream_out")));
void nm_stream_in(char *data, size_t bytes, size_t padding) __attribute__((weak, alias("nm_own_stream_in")));
