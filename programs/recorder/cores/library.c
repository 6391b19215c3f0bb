// SPDX-License-Identifier: Apache-2.0
// When the message library is busy, and what it sends and receives for a collective: stands in place of functions of the library that are
// weak (programs/nocmsg/place.h), and calls them.
//
// Busy is what is left of the time without waiting: cycles in which the core stood at a port, which it counts, and in which it looked at a
// port again and again. What the replay takes for a word of a message is taken off.
#include "cost.h"
#include "noccl.h"
#include "nocmsg.h"
#include "place.h"
#include "records.h"

// Tags of messages of which collectives are composed begin here.
#define INNER_TAG 0x80000000u

// Cycles of looking in vain, and when that was over last; and what a call costs around the looks.
static uint64_t looked, looked_until, around;

// What the recorder itself takes of the time between two calls.
static uint64_t edge;

// Cycles between two looks of nm_wait, about.
#define LOOK_CYCLES 5

// When the program or the library began to execute, and the cycles of waiting before.
static struct {
  uint64_t cycle, waited;
} begun;

static int is_recorded;

// The root of the next stream; the collective in which each rank with a block is a root after the other, or none.
static int root;
static const struct record *blocks;

static uint64_t waited(void) { return noccl_load64(NOCCL_PORT_WAITED) + looked; }

// The recorder takes no time: it begins and ends with these.
static uint64_t stop_clock(void) {
  uint64_t now = nm_clock();
  noccl_store(NOCCL_PORT_UNTIMED, 1);
  return now;
}

static void start_clock(void) { noccl_store(NOCCL_PORT_UNTIMED, 0); }

static void begin(void) {
  begun.waited = waited();
  start_clock();
  begun.cycle = nm_clock();
}

struct busy recorder_busy(void) {
  uint64_t now = stop_clock();
  uint64_t all = now - begun.cycle - (waited() - begun.waited);
  uint64_t until = noccl_load64(NOCCL_PORT_WAITED_UNTIL);
  if (looked_until > until) until = looked_until;
  uint64_t behind = until > begun.cycle ? now - until : 0;
  if (behind > all) behind = all;
  return (struct busy){all - behind, behind};
}

struct busy recorder_take_busy(void) {
  is_recorded = 0;
  return recorder_busy();
}

static uint64_t all_busy(void) {
  struct busy busy = recorder_busy();
  return busy.ahead + busy.behind;
}

// Since the recorder was left, without what that takes.
static uint64_t between(void) {
  uint64_t cycles = all_busy();
  return cycles > edge ? cycles - edge : 0;
}

void recorder_enter(void) {
  uint64_t cycles = between();
  if (cycles) recorder_append(COMPUTE)->number = cycles;
}

void recorder_begin(int is_recorded_now) {
  is_recorded = is_recorded_now;
  begin();
}

void recorder_flush(void) {
  if (is_recorded) recorder_add_busy(all_busy());
  is_recorded = 0;
}

int recorder_leave(int code) {
  recorder_flush();
  begin();
  return code;
}

void recorder_set_root(int only) {
  root = only;
  blocks = 0;
}

// A block without bytes is no stream: the library sends it along a tree.
static void skip_empty_blocks(void) {
  if (!blocks->lengths) return;
  while ((uint64_t)root < blocks->number && !blocks->lengths[root]) root++;
}

void recorder_set_roots(const struct record *of) {
  root = 0;
  blocks = of;
  skip_empty_blocks();
}

static void set_next_root(void) {
  if (!blocks) return;
  root++;
  skip_empty_blocks();
}

static uint64_t words_of(size_t bytes) {
  size_t units = bytes ? (bytes + NM_UNIT_BYTES - 1) / NM_UNIT_BYTES : 1;
  return 2 * units + (bytes + 3) / 4;
}

uint64_t recorder_written(size_t bytes) { return RECORDER_WRITTEN_WORD_CYCLES * words_of(bytes); }

uint64_t recorder_read(size_t bytes) { return RECORDER_READ_WORD_CYCLES * words_of(bytes); }

// Words are read since the last wait, as far as there was one.
void recorder_take_off(struct busy *busy, uint64_t cycles) {
  uint64_t of_behind = cycles < busy->behind ? cycles : busy->behind;
  busy->behind -= of_behind;
  cycles -= of_behind;
  busy->ahead -= cycles < busy->ahead ? cycles : busy->ahead;
}

static void take_record(enum kind kind, int other, size_t bytes, uint64_t of_words) {
  struct busy busy = recorder_busy();
  if (!is_recorded) return;
  recorder_take_off(&busy, of_words);
  if (kind == SEND || (kind == BCAST && other == nm_here.rank)) busy = (struct busy){busy.ahead + busy.behind, 0};
  recorder_add_busy(busy.ahead);
  struct record *record = recorder_append(kind);
  record->is_library = 1;
  record->other = other;
  record->tag = INNER_TAG;
  record->number = bytes;
  recorder_add_busy(busy.behind);
}

// What the library has done before a message.
static void record_before(void) {
  if (is_recorded) recorder_add_busy(between());
  begin();
}

// As the library's. What is read meanwhile is waiting, too: cores of the replay read while they stand still.
void nm_wait(unsigned queues, uint64_t port, uint64_t counts) {
  uint64_t from = stop_clock(), stood = noccl_load64(NOCCL_PORT_WAITED);
  start_clock();
  nm_own_wait(queues, port, counts);
  looked_until = stop_clock();
  stood = noccl_load64(NOCCL_PORT_WAITED) - stood;
  looked += looked_until - from - stood + around;
  start_clock();
}

uint64_t recorder_blocked(void) { return NM_LOOKS * LOOK_CYCLES; }

// Who waits saves all registers and loads them again, whose cycles pass while it waits.
void recorder_measure(void) {
  uint64_t from = nm_clock(), before = looked;
  __asm__ volatile("li t0, 0\n\tli t1, %0\n\tli t2, -1\n\tcall nm_wait_meanwhile"
                   :
                   : "i"(NOCCL_PORT_STATUS)
                   : "ra", "t0", "t1", "t2", "memory");
  around = nm_clock() - from - (looked - before);
}

void recorder_set_edge(void) { edge = all_busy(); }

void nm_configure(uint64_t route) {
  record_before();
  uint64_t from = nm_clock();
  nm_own_configure(route);
  looked_until = stop_clock();
  looked += looked_until - from;
  start_clock();
}

void nm_send(int rank, const void *data, size_t bytes) {
  record_before();
  nm_own_send(rank, data, bytes);
  if (rank == nm_here.rank) return;
  take_record(SEND, rank, bytes, recorder_written(bytes));
  begin();
}

void nm_receive(int rank, void *data, size_t bytes) {
  record_before();
  nm_own_receive(rank, data, bytes);
  if (rank == nm_here.rank) return;
  take_record(RECV, rank, bytes, recorder_read(bytes));
  begin();
}

static void take_stream(size_t bytes, uint64_t of_words) {
  take_record(BCAST, root, bytes, of_words);
  set_next_root();
  begin();
}

void nm_stream_out(const char *data, size_t bytes, size_t padding) {
  nm_own_stream_out(data, bytes, padding);
  take_stream(bytes, RECORDER_WRITTEN_WORD_CYCLES * ((bytes + 3) / 4 + padding));
}

void nm_stream_in(char *data, size_t bytes, size_t padding) {
  nm_own_stream_in(data, bytes, padding);
  take_stream(bytes, RECORDER_READ_WORD_CYCLES * ((bytes + 3) / 4 + padding));
}
