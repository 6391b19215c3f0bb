// SPDX-License-Identifier: Apache-2.0
// What the files of this folder ask of the library of messages below them, which is the one over ports or that over calls.
#ifndef NOCCL_MPI_SHARED_H
#define NOCCL_MPI_SHARED_H

#include "mpi.h"

// Where the function of MPI returns to that this is used in: messages of errors name it.
#define SITE ((long)__builtin_return_address(0))

// What MPI_Init_thread has given: there is one thread.
extern int mpi_thread_level;
// Ends the run with a text.
_Noreturn void mpi_refuse(const char *text, long site);
// The rank among all ranks of a rank of a communicator.
int mpi_member(MPI_Comm comm, int rank, long site);

#endif
