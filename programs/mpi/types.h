// SPDX-License-Identifier: Apache-2.0
// Derived datatypes over calls: which bytes of memory an element has, in the order in which they are sent.
#ifndef NOCCL_MPI_TYPES_H
#define NOCCL_MPI_TYPES_H

#include <stddef.h>

#include "../calls/calls.h"

// Consecutive bytes of an element, from its address.
struct run {
  long offset, bytes;
};

struct layout {
  // Bytes that are sent; bounds, of which the difference is the distance of elements; the alignment of what it consists of.
  long bytes, lower, upper, alignment;
  // The bounds of the runs.
  long first, last;
  long num_runs;
  struct run *runs;
  // The datatype of MPI of which all elements are; MPI_DATATYPE_NULL if there are several or none.
  MPI_Datatype base;
};

// Numbers of derived datatypes begin here.
#define FIRST_DERIVED 64

static inline int mpi_is_derived(MPI_Datatype type) { return type >= FIRST_DERIVED; }

// Of any datatype.
struct layout mpi_layout(MPI_Datatype type, long site);
static inline long mpi_extent(const struct layout *layout) { return layout->upper - layout->lower; }
// A datatype with this layout.
MPI_Datatype mpi_new_type(const struct layout *layout, long site);

// Copies elements into consecutive bytes; and so many bytes back.
void mpi_pack(char *packed, const void *data, long count, const struct layout *layout);
void mpi_unpack(void *data, const char *packed, long bytes, const struct layout *layout);

// Elements as consecutive bytes: a copy to send, or space to receive.
struct packed {
  char *data;
  long bytes;
};
struct packed mpi_packed(const void *data, long count, MPI_Datatype type, long site);
struct packed mpi_space(long count, MPI_Datatype type, long site);
// Moves what has been received to the elements, and gives the space back.
void mpi_unpacked(struct packed packed, long bytes, void *data, MPI_Datatype type, long site);

// A request that the library keeps (requests.c): a receive into packed elements.
int mpi_keep_receive(struct packed packed, void *data, MPI_Datatype type, MPI_Request receive, long site);

// By these symbols the linker script knows what a program makes.
extern const char mpi_typed_mark[1], mpi_kept_mark[1];

#endif
