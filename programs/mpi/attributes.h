// SPDX-License-Identifier: Apache-2.0
// Attributes of objects: what names.c, types.c and windows.c ask.
#ifndef NOCCL_MPI_ATTRIBUTES_H
#define NOCCL_MPI_ATTRIBUTES_H

#include "mpi.h"

// Numbers of keys that programs make begin here.
#define FIRST_KEY 64

enum owner { OF_COMM, OF_TYPE, OF_WIN };

// Where a program makes no keys there is none of them.
__attribute__((weak)) int mpi_attribute_get(enum owner owner, int object, int key, void *value, int *flag);
__attribute__((weak)) int mpi_attributes_copy(enum owner owner, int from, int to, long site);
__attribute__((weak)) int mpi_attributes_end(enum owner owner, int object, long site);

// By this symbol the linker script knows what a program makes.
extern const char mpi_attributes_mark[1];

#endif
