// SPDX-License-Identifier: Apache-2.0
// Inside the library: what a message costs besides moving its words, and what is counted of it. Nothing, as `noccl build` compiles
// it. `noccl npb` compiles it with
//   NM_COUNT             cycles within sends and receives, messages and bytes; `nm_print_counts` prints them
//   NM_INTERRUPT_CYCLES  a message costs so many cycles at each end: its sender sets it up and waits, its receiver is interrupted
//   NM_WORD_CYCLES       and each word so many at each end, besides its load and store
// A core of ours has no interrupts: the receiver's cycles pass when it receives the message, not while it computes.
#ifndef NOCMSG_COST_H
#define NOCMSG_COST_H

#include <stddef.h>
#include <stdint.h>

#ifndef NM_INTERRUPT_CYCLES
#define NM_INTERRUPT_CYCLES 0
#endif
#ifndef NM_WORD_CYCLES
#define NM_WORD_CYCLES 0
#endif

// The core's own counter: unlike the port's, reading it does not interrupt execution.
static inline uint64_t nm_clock(void) {
  uint64_t cycle;
  __asm__ volatile("rdcycle %0" : "=r"(cycle));
  return cycle;
}

static inline void nm_pass(uint64_t cycles) {
  if (!cycles) return;
  for (uint64_t end = nm_clock() + cycles; nm_clock() < end;) {
  }
}

static inline void nm_charge_message(void) { nm_pass(NM_INTERRUPT_CYCLES); }
static inline void nm_charge_words(uint32_t words) { nm_pass((uint64_t)words * NM_WORD_CYCLES); }

#ifdef NM_COUNT
extern struct nm_counts {
  uint64_t send_cycles, receive_cycles, messages, bytes;
} nm_counts;
static inline uint64_t nm_enter(void) { return nm_clock(); }
static inline void nm_leave_send(uint64_t entered) { nm_counts.send_cycles += nm_clock() - entered; }
static inline void nm_leave_receive(uint64_t entered) { nm_counts.receive_cycles += nm_clock() - entered; }
static inline void nm_count_message(size_t bytes) {
  nm_counts.messages++;
  nm_counts.bytes += bytes;
}
#else
static inline uint64_t nm_enter(void) { return 0; }
static inline void nm_leave_send(uint64_t entered) { (void)entered; }
static inline void nm_leave_receive(uint64_t entered) { (void)entered; }
static inline void nm_count_message(size_t bytes) { (void)bytes; }
#endif

#endif
