// SPDX-License-Identifier: Apache-2.0
// Units to a rank that computes and takes nothing: how many have left each sender, and how many stand in the receiver's queue. Rank 0
// prints those that stand there, the others those that have left; then all are received and compared, the last sender's first. Then the last
// rank sends more than credits allow to ranks that wait within broadcasts, and return credits there.
#include <noccl.h>
#include <nocmsg.h>
#include <stdio.h>

#include "cost.h"

#define UNITS 10
// Header, tag and two words.
#define UNIT_WORDS 4
// When senders count, when the receiver does, and when all go on.
#define SENDERS_COUNT_CYCLES 10000
#define RECEIVER_COUNTS_CYCLES 20000
#define AGAIN_CYCLES 30000

static void send_all(uint64_t start) {
  int left = 0;
  for (long unit = 0; unit < UNITS; unit++) {
    long value = 100 * nm_rank() + unit;
    nm_send(0, &value, sizeof value);
    left += nm_clock() - start < SENDERS_COUNT_CYCLES;
  }
  printf("%d\n", left);
  // The next barrier's unit shall not be counted.
  while (nm_clock() - start < AGAIN_CYCLES) {
  }
}

static int receive_from(int rank) {
  for (long unit = 0; unit < UNITS; unit++) {
    long value;
    nm_receive(rank, &value, sizeof value);
    if (value != 100 * rank + unit) return 1;
  }
  return 0;
}

static int receive_all(void) {
  int wrong = 0;
  for (int rank = nm_ranks() - 1; rank > 0; rank--) wrong |= receive_from(rank);
  return wrong;
}

// Rank 0 waits for words of the last rank's broadcast; or, when it has begun two itself, until the first one has left its router.
static int send_before_broadcasts(int root) {
  int last = nm_ranks() - 1;
  for (long unit = 0; unit < UNITS && nm_rank() == last; unit++) {
    long value = 100 * last + unit;
    nm_send(0, &value, sizeof value);
  }
  for (int number = 0; number < 2; number++) {
    long value = nm_rank() == root ? 7 + number : 0;
    nm_broadcast(root, &value, sizeof value);
    if (value != 7 + number) return 1;
  }
  return nm_rank() ? 0 : receive_from(last);
}

int main(void) {
  nm_init();
  nm_barrier();
  uint64_t start = nm_clock();
  int wrong = 0;
  if (nm_rank()) {
    send_all(start);
  } else {
    while (nm_clock() - start < RECEIVER_COUNTS_CYCLES) {
    }
    printf("%lu\n", (noccl_load64(NOCCL_PORT_STATUS) & 0xff) / UNIT_WORDS);
    wrong = receive_all();
  }
  nm_barrier();
  wrong |= send_before_broadcasts(nm_ranks() - 1) | send_before_broadcasts(0);
  nm_barrier();
  return wrong;
}
