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

// A communicator and its topology (cart.c, graph.c); the former without is that of the library below.
int mpi_plain_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int mpi_placed_Comm_dup(MPI_Comm comm, MPI_Comm *made) __attribute__((weak));
void mpi_graph_copy(MPI_Comm from, MPI_Comm to, long site) __attribute__((weak));

// The last code of an error that there is (errors.c), where a program uses errors.
extern int mpi_last_error __attribute__((weak));

#endif
