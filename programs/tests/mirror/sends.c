// SPDX-License-Identifier: Apache-2.0
// What each rank sends in the library's collectives: a line per message, with its receiver and bytes. The library's own sources, with
// another `nm_send` and other names.

#include <stdio.h>
#include <stdlib.h>

#include "nocmsg.h"

static void traced_send(int rank, const void *data, size_t bytes) {
  printf("send %d %zu\n", rank, bytes);
  nm_send(rank, data, bytes);
}

#define nm_send traced_send
#define nm_barrier traced_barrier
#define nm_broadcast traced_broadcast
#define nm_broadcast_tree traced_broadcast_tree
#define nm_reduce traced_reduce
#define nm_all_reduce traced_all_reduce
#define nm_all_to_all traced_all_to_all
#define nm_all_to_all_rounds traced_all_to_all_rounds
#define nm_exchange traced_exchange

void traced_barrier(void);
void traced_broadcast(int root, void *data, size_t bytes);
void traced_reduce(int root, const void *data, void *result, size_t count, size_t element_bytes, nm_fold *fold);
void traced_all_to_all(const void *send, void *receive, size_t block_bytes);
void traced_exchange(nm_step *step, void *blocks);

#include "collectives.c"
#include "exchanges.c"
#include "shared.c"

#define BYTES 136

static void add(void *into, const void *from, size_t count) {
  uint64_t *sums = into;
  const uint64_t *operands = from;
  for (size_t i = 0; i < count; i++) sums[i] += operands[i];
}

int main(void) {
  nm_init();
  char *data = calloc((size_t)nm_ranks(), BYTES), *result = calloc((size_t)nm_ranks(), BYTES);
  puts("barrier");
  nm_barrier();
  puts("reduce");
  nm_reduce(nm_ranks() - 1, data, result, BYTES / 8, 8, add);
  puts("all_to_all");
  nm_all_to_all(data, result, BYTES);
  puts("all_to_all_rounds");
  nm_all_to_all_rounds(data, result, BYTES);
  return 0;
}
