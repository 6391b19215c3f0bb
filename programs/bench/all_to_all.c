// SPDX-License-Identifier: Apache-2.0
// All-to-alls of 128 bytes, one after the other, by the message library. `noccl bench` executes it on 8x8 cores.

#include <stdlib.h>

#include "nocmsg.h"

#ifndef ROUNDS
#define ROUNDS 20
#endif

enum { BYTES = 128 };

int main(void) {
  nm_init();
  char *send = calloc((size_t)nm_ranks(), BYTES), *receive = calloc((size_t)nm_ranks(), BYTES);
  if (!send || !receive) return 1;
  for (int round = 0; round < ROUNDS; round++) nm_all_to_all(send, receive, BYTES);
  return 0;
}
