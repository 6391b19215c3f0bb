// SPDX-License-Identifier: Apache-2.0
// Inside the library: credits, S4's optional flow control between pairs of ranks. Nothing, unless the library is compiled with NM_CREDITS=N
// (`noccl build --credits N`): then at most N units of a rank to another one have been sent that this one has not begun to read.
//
// A receiver returns credits when it takes units from its queue, to their place or into a list, not when the program receives them: programs
// may send before others receive, and credits that a receive returned would have such programs wait for ever. So credits bound what stands in
// queues and network, not the lists.
//
// Nobody waits in a circle: whoever waits, for credits too, reads what comes and returns what is pending, except in the middle of a packet, whose
// words need no credit. Credits need none either: at most two packets of them are on their path from a rank to another one.
#ifndef NOCMSG_CREDITS_H
#define NOCMSG_CREDITS_H

#ifdef NM_CREDITS

#if NM_CREDITS < 1 || NM_CREDITS > 255
#error "NM_CREDITS: accepted: 1 to 255"
#endif

#include <stdint.h>

// Units that are returned together.
#define NM_RETURNED ((NM_CREDITS + 1) / 2)

// Of the ports STATUS and WAIT: words of credits that have come.
#define NM_CREDIT_WORDS UINT64_C(0xff0000)

// Units of each rank that have been taken and not returned; ranks to which enough of them are pending for a packet; is a packet being written?
extern struct nm_credits {
  uint16_t *left, *pending, *due;
  int num_due, is_writing;
} nm_credits;

// When ranks are known.
void nm_init_credits(void);
// Waits for a credit of a rank, and begins a packet to it.
void nm_take_credit(int rank);
void nm_return_due(void);
// Reads credits that have come.
void nm_read_credits(void);

// A unit of a rank is taken from its queue.
static inline void nm_add_pending(int rank) {
  if (++nm_credits.pending[rank] == NM_RETURNED) nm_credits.due[nm_credits.num_due++] = (uint16_t)rank;
}

// Returns what is pending: before each wait, and before a function of the library is over.
static inline void nm_return_credits(void) {
  if (__builtin_expect(nm_credits.num_due != 0, 0) && !nm_credits.is_writing) nm_return_due();
}

static inline void nm_end_packet(void) {
  nm_credits.is_writing = 0;
  nm_return_credits();
}

#else

#define NM_CREDIT_WORDS UINT64_C(0)

static inline void nm_init_credits(void) {}
static inline void nm_take_credit(int rank) { (void)rank; }
static inline void nm_read_credits(void) {}
static inline void nm_add_pending(int rank) { (void)rank; }
static inline void nm_return_credits(void) {}
static inline void nm_end_packet(void) {}

#endif

#endif
