// SPDX-License-Identifier: Apache-2.0
// Words into the port of the dynamic network, in units.

#include "cost.h"
#include "credits.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"
#include "words.h"

// Of the status port: space for a word, and for two.
#define SPACE_FOR_ONE (UINT64_C(0xff) << 40)
#define SPACE_FOR_TWO (UINT64_C(0xfe) << 40)

// The words are loaded before the space is looked at: meanwhile the network takes those before.
static inline void write64(uint64_t words) {
  __asm__ volatile("" : "+r"(words));
  nm_until(NOCCL_PORT_STATUS, SPACE_FOR_TWO, NM_ALL_QUEUES);
  noccl_store64(NOCCL_PORT_SEND, words);
}

static inline void write32(uint32_t word) {
  __asm__ volatile("" : "+r"(word));
  nm_until(NOCCL_PORT_STATUS, SPACE_FOR_ONE, NM_ALL_QUEUES);
  noccl_store(NOCCL_PORT_SEND, word);
}

// Header and tag of units to a rank, without their length.
static inline uint64_t head_to(int rank, int queue) {
  uint32_t tag = (uint32_t)queue | (uint32_t)nm_here.rank << 16;
  return nm_here.tiles[rank] | (uint64_t)tag << 32;
}

static inline __attribute__((always_inline)) void write_unit(int rank, uint64_t head, const uint32_t *envelope, const char *data,
                                                             size_t bytes) {
  uint32_t words = (envelope ? 2 : 0) + (uint32_t)((bytes + 3) / 4);
  nm_charge_words(words);
  nm_take_credit(rank);
  write64(head | (uint64_t)(words + 1) << 16);
  if (envelope) write64(envelope[0] | (uint64_t)envelope[1] << 32);
  NM_WRITE_ALL(data, bytes, write64, write32);
  nm_end_packet();
}

static inline __attribute__((always_inline)) void send(int rank, int queue, const uint32_t *envelope, const char *data, size_t bytes) {
  if (rank == nm_here.rank) {
    nm_keep(queue, envelope, data, bytes);
    return;
  }
  uint64_t entered = nm_enter(), head = head_to(rank, queue);
  nm_count_message(bytes);
  nm_charge_message();
  while (bytes > NM_UNIT_BYTES) {
    write_unit(rank, head, envelope, data, NM_UNIT_BYTES);
    envelope = 0;
    data += NM_UNIT_BYTES;
    bytes -= NM_UNIT_BYTES;
  }
  write_unit(rank, head, envelope, data, bytes);
  nm_leave_send(entered);
}

void nm_own_send(int rank, const void *data, size_t bytes) { send(rank, NM_QUEUE_MESSAGES, 0, data, bytes); }

void nm_send(int rank, const void *data, size_t bytes) __attribute__((weak, alias("nm_own_send")));

void nm_send_envelope(int rank, const uint32_t envelope[2], const void *data, size_t bytes) {
  send(rank, NM_QUEUE_MPI, envelope, data, bytes);
}
