// SPDX-License-Identifier: Apache-2.0
// What was counted, for `noccl npb` to read.

#include "cost.h"

#ifdef NM_COUNT
#include <stdio.h>

struct nm_counts nm_counts;

void nm_print_counts(void) {
  printf("nocmsg counts %lu %lu %lu %lu\n", nm_counts.send_cycles, nm_counts.receive_cycles, nm_counts.messages,
         nm_counts.bytes);
}
#else
void nm_print_counts(void) {}
#endif
