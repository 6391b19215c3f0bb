// SPDX-License-Identifier: Apache-2.0
// Message passing in software on cores with register-mapped networks (S4): messages of known length between ranks, and
// collectives whose partners each rank computes from its place.
//
// Ranks stand on a rectangle of columns and rows from the south-west corner, rank after rank along the rows. A message
// travels in units: a header word, a tag word and up to 128 bytes. Messages of one rank to another one are received in
// the order in which they were sent; units of other ranks that come meanwhile are kept in lists, one per sender, so
// every core always takes what comes, and nobody can block the network for ever.
#ifndef NOCMSG_H
#define NOCMSG_H

#include <stddef.h>
#include <stdint.h>

// Bytes of a unit, besides header and tag.
#define NM_UNIT_BYTES 128

// Queues of the receiver: messages of this library, messages of MPI.
enum { NM_QUEUE_MESSAGES = 0, NM_QUEUE_MPI = 1 };

// Finds the rectangle of ranks and this rank's place in it. Before any other call.
void nm_init(void);

int nm_rank(void);
int nm_ranks(void);
// Columns and rows of the rectangle, and this rank's place.
int nm_columns(void);
int nm_rows(void);
int nm_column(void);
int nm_row(void);

// Sends so many bytes; returns when the last word is in the port. Messages without bytes are sent, too.
void nm_send(int rank, const void *data, size_t bytes);
// Receives a message of exactly so many bytes from a rank. A message to oneself must be sent first.
void nm_receive(int rank, void *data, size_t bytes);
// Says which message is received next from a rank; `nm_receive` with the same arguments must follow. What comes of it until then, while
// this rank sends, goes to its place without a list between.
void nm_expect(int rank, void *data, size_t bytes);

// The same for messages of MPI, which have an envelope of two words before their data.
void nm_send_envelope(int rank, const uint32_t envelope[2], const void *data, size_t bytes);

// Nobody leaves before all have entered. Along a tree whose edges are links, rooted in the middle.
void nm_barrier(void);
// Everybody gets the root's bytes: over the static network on full rectangles of at least two ranks, else along a
// binomial tree.
void nm_broadcast(int root, void *data, size_t bytes);

// Adds elements of `from` to those of `into`: into[i] = into[i] op from[i].
typedef void nm_fold(void *into, const void *from, size_t count);

// The root's `result` is the fold of all ranks' `data`: columns into the root's row, then that row. Every rank folds its
// own operand first, then its column from the root's row down, then up; the root goes on with the row, west, then east.
void nm_reduce(int root, const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold);
// To rank 0, and from there to all.
void nm_all_reduce(const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold);
// Block r of `send` goes to rank r, whose block s of `receive` is from rank s.
// By steps around the edges of the rectangle: the fastest without a plan.
void nm_all_to_all(const void *send, void *receive, size_t block_bytes);
// The steps of that: calls `step` for each, with the rank to send to and the one to receive from. Blocks may have any length.
typedef void nm_step(void *blocks, int to, int from);
void nm_exchange(nm_step *step, void *blocks);
// The same by S4's rounds of equal displacement, split into subrounds whose messages share no link (full rectangles; else as
// nm_all_to_all).
void nm_all_to_all_rounds(const void *send, void *receive, size_t block_bytes);

// Words of a unit behind header and tag.
struct nm_unit {
  struct nm_unit *next;
  int rank;
  uint32_t words;
  uint32_t data[];
};

// The first unit of MPI's messages, waited for; its caller releases it.
struct nm_unit *nm_next_unit(void);
// The same, or none if it has not come; what has come for any queue is taken in.
struct nm_unit *nm_come_unit(void);
void nm_release(struct nm_unit *unit);

// Prints what has been counted, if the library counts (cost.h).
void nm_print_counts(void);

#endif
