// SPDX-License-Identifier: Apache-2.0
// Inside the recorder of executed cores: records, and when the program and the library execute.
#ifndef NOCCL_RECORDS_H
#define NOCCL_RECORDS_H

#define NOCCL_RECORDER
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

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
// The call is over; what the library has executed since the last record is recorded.
int recorder_leave(int code);
// What the library has been busy with since the last record, which is left to the caller.
struct busy recorder_busy(void);
// A message of the library, or of the program, which the library was busy with so long; the replay takes a cycle of each of the words.
void recorder_add_busy(uint64_t cycles);
uint64_t recorder_less_words(struct busy *busy, uint64_t words);
// Words of a message over the dynamic network.
uint64_t recorder_words(size_t bytes);
// The root of the static network's next stream: `first`, or each rank after the other.
void recorder_set_root(int first, int is_next_another);

#endif
