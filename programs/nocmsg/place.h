// SPDX-License-Identifier: Apache-2.0
// Inside the library: what its files ask each other.
#ifndef NOCMSG_PLACE_H
#define NOCMSG_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "nocmsg.h"

// The rectangle, this rank's place in it, and the tile of each rank, its column in the lower byte and its row in the upper one:
// a division takes longer than a message.
extern struct nm_place {
  int rank, ranks, columns, rows, column, row;
  // Is every tile of the rectangle a rank?
  int is_full;
  // Has MPI_Finalize been called?
  int is_over;
  uint16_t *tiles;
} nm_here;

static inline int nm_column_of(int rank) { return nm_here.tiles[rank] & 0xff; }
static inline int nm_row_of(int rank) { return nm_here.tiles[rank] >> 8; }
// The rank at a place of the rectangle.
static inline int nm_rank_at(int column, int row) { return row * nm_here.columns + column; }

// A place on a line or ring of so many places, at most once around.
static inline int nm_around(int place, int places) { return place < places ? place : place - places; }

// Lists of units that come early; when ranks are known.
void nm_init_units(void);

// Queues as bits.
#define NM_ALL_QUEUES 3u

// Takes in what has come for these queues.
void nm_take_in(unsigned queues);

// Waits until a port's counts are not all zero. Who waits for long reads what has come for these queues, so that the network moves on;
// what has not come is not waited for, since its sender may wait for this rank to read in the middle of a packet, as this rank does.
void nm_wait(unsigned queues, uint64_t port, uint64_t counts);

// Looks before nm_wait takes in what has come: a unit that waits in its queue is received without a list.
#define NM_LOOKS 12
// Of the ports STATUS and WAIT: words that have come for the library's queues, and 64 or more, which are whole units and half of the store.
#define NM_HAVE_COME UINT64_C(0xffff)
#define NM_MANY_HAVE_COME UINT64_C(0xc0c0)

// The same. A word passes in a cycle, so most waits are over at the second look; and who waits longer keeps all registers, so that
// writers and readers save none.
static inline __attribute__((always_inline)) void nm_until(uint64_t port, uint64_t counts, unsigned queues) {
  if (__builtin_expect((*(volatile uint64_t *)port & counts) != 0, 1)) return;
  if (__builtin_expect((*(volatile uint64_t *)port & counts) != 0, 1)) return;
  __asm__ volatile("li t0, %0\n\tli t1, %1\n\tmv t2, %2\n\tcall nm_wait_meanwhile"
                   :
                   : "i"(queues), "i"(port), "r"(counts)
                   : "ra", "t0", "t1", "t2", "memory");
}

// Bytes of a message that its receiver's queues hold: nobody stands still while it is sent, and need not expect it.
#define NM_SHORT_BYTES (2 * NM_UNIT_BYTES)

// A message to oneself goes into the list of early units.
void nm_keep(int queue, const uint32_t *envelope, const char *data, size_t bytes);
// A broadcast along a binomial tree, whatever the rectangle.
void nm_broadcast_tree(int root, void *data, size_t bytes);
// Sets the outputs of this tile's router of the static network, when its words of the last stream have left. What comes over the dynamic
// network is taken in meanwhile: the last members may be in the middle of a message to this rank.
void nm_configure(uint64_t route);
// So many bytes over the static network, whose routers are configured, and words behind them that nobody uses.
void nm_stream_out(const char *data, size_t bytes, size_t padding);
void nm_stream_in(char *data, size_t bytes, size_t padding);

// What programs/recorder/cores defines again, by its own name: weak functions, which cost a program without the recorder nothing.
void nm_own_send(int rank, const void *data, size_t bytes);
void nm_own_receive(int rank, void *data, size_t bytes);
void nm_own_wait(unsigned queues, uint64_t port, uint64_t counts);
void nm_own_configure(uint64_t route);
void nm_own_stream_out(const char *data, size_t bytes, size_t padding);
void nm_own_stream_in(char *data, size_t bytes, size_t padding);

#endif
