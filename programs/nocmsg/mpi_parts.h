// SPDX-License-Identifier: Apache-2.0
// What the files of MPI share.
#ifndef NOCMSG_MPI_PARTS_H
#define NOCMSG_MPI_PARTS_H

#include <stddef.h>

#include "mpi.h"

size_t mpi_bytes(int count, MPI_Datatype type);
// Ends the program with the rank and what was wrong.
_Noreturn void mpi_wrong(const char *what);

#endif
