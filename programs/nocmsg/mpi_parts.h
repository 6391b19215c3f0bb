// SPDX-License-Identifier: Apache-2.0
// What the files of MPI share.
#ifndef NOCMSG_MPI_PARTS_H
#define NOCMSG_MPI_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "mpi.h"

size_t mpi_bytes(int count, MPI_Datatype type);
// Ends the program with the rank and what was wrong.
_Noreturn void mpi_wrong(const char *what);

// The second word of an envelope: the number of the communicator in the upper bits; is the message one of the library's own within
// it, a collective's or an acknowledgement; does its sender wait for an acknowledgement; and bytes. The first word is the tag.
#define MPI_NUMBER_SHIFT 26
#define MPI_INNER (UINT32_C(1) << 25)
#define MPI_SYNCHRONOUS (UINT32_C(1) << 24)
#define MPI_MOST_BYTES (MPI_SYNCHRONOUS - 1)
// A receive and its message have the tag in common, and the number and whether it is of the library: the context.
#define MPI_TOO_LONG "a message of 16 MiB or more; accepted: up to 16777215 bytes"

// Tag of messages of collectives; an acknowledgement has the tag of its message.
#define MPI_TAG_OF_COLLECTIVES (UINT32_C(1) << 31)

// The number of a communicator is its handle.
#define MPI_NUMBERS 64
static inline uint32_t mpi_context(MPI_Comm comm) { return (uint32_t)comm << MPI_NUMBER_SHIFT; }
// Handle 1 is never given.
static inline int mpi_is_world(MPI_Comm comm) { return __builtin_expect((unsigned)comm < 2, 1); }
// Are its collectives those of nocmsg.h? In a program with synchronous sends none are: who waits in one of those takes messages of MPI in,
// but they meet no receives, and their senders may wait for that before they come to the collective. The linker script knows whether a
// program has any, and sets the symbol to 1 or -1, so that the question takes as long as a comparison with 1.
static inline int mpi_is_of_mesh(MPI_Comm comm) {
  long last;
  __asm__("addi %0, zero, %%lo(__mpi_last_of_all)" : "=r"(last));
  return __builtin_expect(comm <= last, 1);
}
// As MPI_Comm_size; but for a communicator that is not of all ranks 0.
int mpi_size_of_world(MPI_Comm comm, int *size);
int mpi_size_among(MPI_Comm comm);
int mpi_own_rank_among(MPI_Comm comm);
// The rank among all ranks of a rank of a communicator; if there is none, `error` says so.
int mpi_world_rank(MPI_Comm comm, int rank, const char *error);
// And back, for the communicator of a context.
int mpi_rank_among(uint32_t context, int world_rank);

struct receive {
  struct receive *next;
  char *data;
  size_t capacity;
  // The rank among all ranks.
  int from, tag;
  uint32_t context;
  int is_used, is_over;
  MPI_Status status;
};

// The request of a send that is over.
#define MPI_SENT (-2)

MPI_Request mpi_unused_request(void);
struct receive *mpi_receive_of(MPI_Request request);
// A rank among all ranks sends and receives bytes.
void mpi_send_bytes(int to, uint32_t tag, uint32_t context, const void *data, size_t bytes);
void mpi_await(struct receive *receive, void *data, size_t bytes, int from, int tag, uint32_t context);
// Takes in the next unit, which is waited for, and all that have come.
void mpi_take_next(void);
void mpi_take_come(void);
// Has a message come that would meet this receive?
int mpi_is_kept(const struct receive *receive, MPI_Status *status);
// Does a receive or message of this communicator wait for the other?
int mpi_is_open(uint32_t context);

// The operator on elements of a type: into[i] = into[i] op from[i].
void (*mpi_fold_of(MPI_Datatype type, MPI_Op op))(void *into, const void *from, size_t count);

#endif
