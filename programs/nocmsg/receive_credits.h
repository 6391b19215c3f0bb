// SPDX-License-Identifier: Apache-2.0
// A part of units.c: receives of a library with credits. Whoever returns credits may take in what it waits for, so each wait looks into the
// lists again; nothing is pending when a function begins, so nothing comes into them between that look and the wait.

// Waits for words of any queue, credits too, and takes in what has come.
static void take_next(void) {
  uint64_t status = noccl_load64(NOCCL_PORT_WAIT);
  if (status & NM_CREDIT_WORDS) nm_read_credits();
  if (status & NM_HAVE_COME) nm_take_in(NM_ALL_QUEUES);
  nm_return_credits();
}

struct nm_unit *nm_next_unit(void) {
  struct nm_unit *unit;
  while (!(unit = take(&of_mpi))) take_next();
  if (unit->rank != nm_here.rank) nm_charge_words(unit->words);
  return unit;
}

// The next unit of a rank: from the list, or from the queue if nothing is before it.
static void receive_unit(int rank, char *data, size_t bytes) {
  struct nm_unit *unit;
  while (!(unit = take(&of_rank[rank]))) {
    if (begun[NM_QUEUE_MESSAGES].is_begun || !words_at(noccl_load64(NOCCL_PORT_WAIT), NM_QUEUE_MESSAGES)) {
      take_next();
      continue;
    }
    uint64_t head = noccl_load64(port_of(NM_QUEUE_MESSAGES));
    if (rank_of(head) == rank) {
      read_data(head, data, bytes);
      nm_return_credits();
      return;
    }
    read_whole(NM_QUEUE_MESSAGES, head);
    nm_return_credits();
  }
  receive_kept(unit, data, bytes);
}

// What has not come of a message that is expected.
static void receive_expected(int rank) {
  while (of_rank[rank].left) take_next();
  if (begun[NM_QUEUE_MESSAGES].is_begun) read_rest(NM_QUEUE_MESSAGES);
  of_rank[rank].place = 0;
}
