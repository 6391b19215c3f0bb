// SPDX-License-Identifier: Apache-2.0
// Inside the recorder of executed cores: records, and when the program and the library execute.
#ifndef NOCCL_RECORDS_H
#define NOCCL_RECORDS_H

#define NOCCL_RECORDER
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

// Cycles of a word that is written to a port, and of one that is read: what the inner loops of the library take in any message. The replay
// takes them for each word while it travels, so that words follow each other as they did; they are not in the records.
#ifndef RECORDER_WRITTEN_WORD_CYCLES
#define RECORDER_WRITTEN_WORD_CYCLES 4
#define RECORDER_READ_WORD_CYCLES 4
#endif

enum kind {
  COMPUTE, SEND, RECV, IRECV, WAIT, BARRIER, BCAST, REDUCE, ALLREDUCE, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV,
  ALLTOALL, ALLTOALLV
};

struct record {
  uint8_t kind, is_any, type, op, comm;
  // Of the message library, not of the program?
  uint8_t is_library;
  int other, request;  // the other rank or the root
  uint32_t tag;
  uint64_t number;    // bytes, or cycles
  uint32_t *lengths;  // of each rank's block
};

// Cycles in which a core was busy: before its last wait was over, and since. All of them before, if it has not waited.
struct busy {
  uint64_t ahead, behind;
};

_Noreturn void recorder_no_memory(void);
struct record *recorder_append(enum kind kind);
// Prints the section of a rank.
void recorder_print(int rank);

// The program calls: what it has computed since its last call is recorded.
void recorder_enter(void);
// From here on the library executes, in the name of a call whose messages are recorded, or not.
void recorder_begin(int is_recorded);
// What the library has executed since the last record is recorded, and nothing else of this call.
void recorder_flush(void);
// The call is over; what the library has executed since the last record is recorded.
int recorder_leave(int code);
// What the library has been busy with since the last record.
struct busy recorder_busy(void);
// The caller has recorded this, and all of the call with it.
struct busy recorder_take_busy(void);
// Measures what the recorder has to know; before the first call.
void recorder_measure(void);
// Called where a call begins, straight after another one: all that has passed is the recorder's.
void recorder_set_edge(void);
// Cycles before a core that stands still at a full port reads what has come.
uint64_t recorder_blocked(void);
// The library was busy so long.
void recorder_add_busy(uint64_t cycles);
void recorder_take_off(struct busy *busy, uint64_t cycles);
// Of a message over the dynamic network, what the replay takes to write and to read its words.
uint64_t recorder_written(size_t bytes);
uint64_t recorder_read(size_t bytes);
// The root of the static network's next streams.
void recorder_set_root(int only);
// Each rank is the root of one after the other, but those that have no bytes in this collective.
void recorder_set_roots(const struct record *of);

#endif
