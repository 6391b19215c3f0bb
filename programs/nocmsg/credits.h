// SPDX-License-Identifier: Apache-2.0
// Inside the library: credits, S4's optional flow control between pairs. Nothing, as `noccl build` compiles it; `noccl npb -D NM_CREDITS=N`
// compiles the library with N, at least 2: a rank has at most so many units under way to another one, and waits for credits when they are
// used up. A receiver gives credits back when it has taken units from its queue, read or into a list, so that credits bound what stands in
// the queues and the network, and nobody waits for a receive.
#ifndef NOCMSG_CREDITS_H
#define NOCMSG_CREDITS_H

#ifdef NM_CREDITS
// When ranks are known.
void nm_init_credits(void);
// Before a unit to a rank: gives back what is owed, and waits for a credit.
void nm_take_credit(int rank);
// A unit of a rank has been taken from its queue. May stand in the middle of an own packet, so that nothing is written.
void nm_owe_credit(int rank);
// Gives back what is owed; between packets.
void nm_give_credits(void);
// Reads credits that have come.
void nm_read_credits(void);
#else
static inline void nm_init_credits(void) {}
static inline void nm_take_credit(int rank) { (void)rank; }
static inline void nm_owe_credit(int rank) { (void)rank; }
static inline void nm_give_credits(void) {}
static inline void nm_read_credits(void) {}
#endif

#endif
