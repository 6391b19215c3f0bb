// SPDX-License-Identifier: Apache-2.0
// Calls to the runtime of programs of ranks: a number in a7, arguments in a0 to a5, the caller's return address in a6
// (README.md). What a call gives is in a0.
#ifndef NOCCL_CALLS_H
#define NOCCL_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "mpi.h"
#include "numbers.h"
// Where the message library includes files of this folder they have other names there.
#ifndef COMPOSED_ALWAYS
#include "plain.h"
#endif

// Where the function of MPI returns to that this is used in: messages of errors name it.
#define SITE ((long)__builtin_return_address(0))

static inline long call(long number, long first, long second, long third, long fourth, long fifth, long sixth,
                        long site) {
  register long a0 __asm__("a0") = first;
  register long a1 __asm__("a1") = second;
  register long a2 __asm__("a2") = third;
  register long a3 __asm__("a3") = fourth;
  register long a4 __asm__("a4") = fifth;
  register long a5 __asm__("a5") = sixth;
  register long a6 __asm__("a6") = site;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6), "r"(a7) : "memory");
  return a0;
}

// What a request that is over has given.
struct result {
  int64_t index, source, tag, bytes;
};

// Tag of messages of composed collectives: no receive of any tag takes them.
#define INNER_TAG (1L << 31)

// A communicator as calls number it.
long mpi_comm_number(MPI_Comm comm, long site);
// Rank in the lower half, size in the upper one.
long mpi_comm_members(long comm, long site);
long mpi_comm_rank(long comm, long site);
long mpi_comm_size(long comm, long site);

// Ends the run with a text.
_Noreturn void mpi_refuse(const char *text, long site);

// Bytes of elements; negative if the count is.
long mpi_bytes_of(long count, MPI_Datatype type, long site);
// Bytes of memory from the first to behind the last of elements, which may be of a derived datatype (mpi/types.c).
long mpi_span_of(long count, MPI_Datatype type, long site);
// Function, operator and type as one argument of CALL_COLLECTIVE.
long mpi_reduction(long function, MPI_Op op, MPI_Datatype type);
#define MPI_NO_OPERATOR "an operator that the datatype does not have; accepted: MPI's pairs of operator and type, or MPI_Op_create"
// into = into op from, element by element, for operators and types for which types.c has no fold.
void mpi_combine_other(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site);
// into = into op from, element by element.
void mpi_combine(void *into, const void *from, long count, MPI_Datatype type, MPI_Op op, long site);

// Requests: their numbers.
int mpi_begin_send(const void *data, long bytes, long to, long tag, long comm, long site);
int mpi_begin_receive(void *data, long bytes, long from, long tag, long comm, long site);
void mpi_finish(int request, long site);
void mpi_note(MPI_Status *status, const struct result *result);

#endif
