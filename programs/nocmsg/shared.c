// SPDX-License-Identifier: Apache-2.0
// What the collectives that know the mesh (collectives.c, exchanges.c) and those that do not (plain.c) have in common.

#include <string.h>

#include "nocmsg.h"
#include "place.h"

void nm_broadcast_tree(int root, void *data, size_t bytes) {
  int ranks = nm_here.ranks, own = nm_around(nm_here.rank - root + ranks, nm_here.ranks), step = 1;
  while (step < ranks) step *= 2;
  for (step /= 2; step; step /= 2) {
    int within = own & (2 * step - 1);
    if (within == step) nm_receive(nm_around(own - step + root, nm_here.ranks), data, bytes);
    if (within == 0 && own + step < ranks) nm_send(nm_around(own + step + root, nm_here.ranks), data, bytes);
  }
}

// Blocks of equal length.
struct equal {
  const char *send;
  char *receive;
  size_t bytes;
};

static void exchange_equal(void *blocks, int to, int from) {
  const struct equal *equal = blocks;
  size_t bytes = equal->bytes;
  char *place = equal->receive + (size_t)from * bytes;
  if (bytes > NM_SHORT_BYTES) nm_expect(from, place, bytes);
  nm_send(to, equal->send + (size_t)to * bytes, bytes);
  nm_receive(from, place, bytes);
}

void nm_all_to_all(const void *send, void *receive, size_t block_bytes) {
  struct equal equal = {send, receive, block_bytes};
  size_t own = (size_t)nm_rank() * block_bytes;
  memcpy(equal.receive + own, equal.send + own, block_bytes);
  nm_exchange(exchange_equal, &equal);
}
