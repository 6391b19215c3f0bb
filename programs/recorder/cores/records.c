// SPDX-License-Identifier: Apache-2.0
// Records in memory, and as lines: each rank prints its section at the end, every line behind PREFIX.
#include "records.h"

#include <stdio.h>
#include <stdlib.h>

#define PREFIX "noccl-messages: "
#define CHUNK 512

static const char *const names[] = {"compute", "send", "recv", "irecv", "wait", "barrier", "bcast", "reduce", "allreduce",
                                    "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv"};
static const char *const elements[] = {"int8", "int8", "int32", "int64", "int32", "fp32", "fp64", "int64"};
static const char *const operators[] = {"sum", "other", "min", "max"};

static struct chunk {
  struct chunk *next;
  int used;
  struct record records[CHUNK];
} *first, *last;

void recorder_no_memory(void) {
  printf("noccl recorder: no memory for the trace; accepted: more --program-memory\n");
  abort();
}

struct record *recorder_append(enum kind kind) {
  if (!last || last->used == CHUNK) {
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk) recorder_no_memory();
    chunk->next = 0;
    chunk->used = 0;
    if (last) {
      last->next = chunk;
    } else {
      first = chunk;
    }
    last = chunk;
  }
  struct record *record = &last->records[last->used++];
  *record = (struct record){.kind = (uint8_t)kind, .request = -1};
  return record;
}

void recorder_add_busy(uint64_t cycles) {
  if (!cycles) return;
  struct record *before = last && last->used ? &last->records[last->used - 1] : 0;
  if (before && before->kind == COMPUTE && before->is_library) {
    before->number += cycles;
    return;
  }
  struct record *record = recorder_append(COMPUTE);
  record->is_library = 1;
  record->number = cycles;
}

static int has_root(int kind) { return kind == BCAST || kind == REDUCE || (kind >= GATHER && kind <= SCATTERV); }

static void print_record(const struct record *record) {
  printf(PREFIX "%s%s", record->is_library ? "library " : "", names[record->kind]);
  switch (record->kind) {
    case COMPUTE: printf(" %lu\n", record->number); return;
    case WAIT: printf(" %d\n", record->request); return;
    case SEND:
    case RECV:
    case IRECV:
      printf(" %d %d %u %lu", record->comm, record->other, record->tag, record->number);
      if (record->request >= 0) printf(" %d", record->request);
      printf(record->is_any ? " any\n" : "\n");
      return;
  }
  printf(" %d", record->comm);
  if (has_root(record->kind)) printf(" %d", record->other);
  if (record->kind == REDUCE || record->kind == ALLREDUCE) printf(" %s %s", operators[record->op], elements[record->type]);
  if (record->lengths) {
    for (uint64_t rank = 0; rank < record->number; rank++) printf(" %u", record->lengths[rank]);
  } else if (record->kind != BARRIER && record->kind != SCATTERV) {
    printf(" %lu", record->number);
  }
  printf("\n");
}

void recorder_print(int rank) {
  printf(PREFIX "head library %d %d %lu\n", RECORDER_WRITTEN_WORD_CYCLES, RECORDER_READ_WORD_CYCLES, recorder_blocked());
  printf(PREFIX "rank %d\n", rank);
  unsigned long records = 0;
  for (struct chunk *chunk = first; chunk; chunk = chunk->next)
    for (int index = 0; index < chunk->used; index++, records++) print_record(&chunk->records[index]);
  printf(PREFIX "end %lu\n", records);
}
