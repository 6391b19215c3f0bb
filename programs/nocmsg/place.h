// SPDX-License-Identifier: Apache-2.0
// Inside the library: what its files ask each other.
#ifndef NOCMSG_PLACE_H
#define NOCMSG_PLACE_H

#include <stddef.h>
#include <stdint.h>

// Lists of units that have come early.
void nm_init_units(void);
// Is every tile of the rectangle a rank?
int nm_is_full(void);
// The rank at a place of the rectangle.
int nm_rank_at(int column, int row);
// Takes in the unit that stands first in a queue, if there is one.
int nm_take_in(int queue);
// A broadcast along a binomial tree, whatever the rectangle.
void nm_broadcast_tree(int root, void *data, size_t bytes);
// Words of the static network that have come, or that it takes, at least one: waited for. What comes over the dynamic network is taken
// in meanwhile, since a rank may still be in the middle of a message to this one, and only then come to the broadcast.
unsigned nm_static_words(void);
unsigned nm_static_space(void);
// Writes two words when the port has space for them, or one; reads units that come meanwhile.
void nm_write64(uint64_t words);
void nm_write32(uint32_t word);

#endif
