// SPDX-License-Identifier: Apache-2.0
// Blocks of a buffer of a collective, over calls: elements of any datatype, and the same as consecutive bytes.
#ifndef NOCCL_MPI_BLOCKS_H
#define NOCCL_MPI_BLOCKS_H

#include "../calls/composed.h"
#include "types.h"

// Counts and places in elements: all blocks of one length and behind each other, or each with its own. With a datatype for each block, places
// are in bytes.
struct blocks {
  char *data;
  const int *counts, *places;
  const MPI_Datatype *types;
  int count, num_blocks;
  struct layout layout;
};

struct blocks mpi_equal_blocks(const void *data, int count, MPI_Datatype type, int num_blocks, long site);
struct blocks mpi_placed_blocks(const void *data, const int *counts, const int *places, MPI_Datatype type, int num_blocks, long site);
struct blocks mpi_typed_blocks(const void *data, const int *counts, const int *places, const MPI_Datatype *types, int num_blocks);

// Blocks whose bytes follow each other: counts and places in bytes.
struct bytes {
  char *data;
  int *counts, *places;
  // Is it space of its own, not that of the elements?
  int is_copy;
};

// Space for blocks one behind the other; the same with their elements.
struct bytes mpi_bytes_space(const struct blocks *of, long site);
struct bytes mpi_bytes_packed(const struct blocks *of, long site);
// The elements themselves if their bytes follow each other in each block; else as the two above.
struct bytes mpi_bytes_in_place(const struct blocks *of, int is_read, long site);
// Moves what has arrived to the elements; and gives the space back, as the other does without.
void mpi_bytes_unpack(struct bytes from, const struct blocks *of, long site);
void mpi_bytes_free(struct bytes bytes);

// Blocks that go to ranks or come from ranks; MPI_PROC_NULL: from or to nobody.
struct ends {
  const struct bytes *bytes;
  int *ranks, count;
  // Is there one block for all? Do edges form pairs, whose messages cross if both go to one rank?
  int is_one, are_pairs;
};

// Sends all blocks at once and is ready for all; a request for all of them. So no rank of such a collective depends on what another one does later.
int mpi_round(const struct group *in, struct ends out, struct ends into);

// A request that the library keeps (requests.c): what is done when a message or a network's collective is over.
typedef void mpi_over(void *operation);
int mpi_keep_operation(MPI_Request active, mpi_over *over, void *operation, long site);
// The same, as often as it is started: what begins it.
typedef MPI_Request mpi_begins(const void *arguments);
int mpi_keep_begins(mpi_begins *begins, const void *arguments, long bytes, long site);

int mpi_kept_Wait(MPI_Request *request, MPI_Status *status);
int mpi_kept_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);

// Ranks of a topology that this one receives from and sends to; both lists are given back by `free`.
void mpi_neighbours(MPI_Comm comm, struct ends *from, struct ends *to, long site);

#endif
