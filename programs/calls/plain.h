// SPDX-License-Identifier: Apache-2.0
// Functions of MPI that exist twice over calls: plain, for the datatypes of mpi.h and for requests of one message each, and complete, for
// derived datatypes (mpi/typed_*.c), kept requests (mpi/requests.c) or attributes (mpi/attributes.c). The linker script kinds.ld takes the complete ones in programs
// that make such types or requests, so that no other program has an instruction for them.
#ifndef NOCCL_CALLS_PLAIN_H
#define NOCCL_CALLS_PLAIN_H

#include "mpi.h"

#define PLAIN(NAME) extern __typeof__(MPI_##NAME) mpi_plain_##NAME
PLAIN(Send);
PLAIN(Ssend);
PLAIN(Isend);
PLAIN(Issend);
PLAIN(Recv);
PLAIN(Irecv);
PLAIN(Sendrecv);
PLAIN(Sendrecv_replace);
PLAIN(Get_count);
PLAIN(Bcast);
PLAIN(Reduce);
PLAIN(Allreduce);
PLAIN(Gather);
PLAIN(Gatherv);
PLAIN(Scatter);
PLAIN(Scatterv);
PLAIN(Allgather);
PLAIN(Allgatherv);
PLAIN(Alltoall);
PLAIN(Alltoallv);
PLAIN(Wait);
PLAIN(Waitall);
PLAIN(Waitany);
PLAIN(Waitsome);
PLAIN(Test);
PLAIN(Testall);
PLAIN(Testany);
PLAIN(Comm_dup);
PLAIN(Comm_free);
PLAIN(Finalize);
#undef PLAIN

#define MPI_Send mpi_plain_Send
#define MPI_Ssend mpi_plain_Ssend
#define MPI_Isend mpi_plain_Isend
#define MPI_Issend mpi_plain_Issend
#define MPI_Recv mpi_plain_Recv
#define MPI_Irecv mpi_plain_Irecv
#define MPI_Sendrecv mpi_plain_Sendrecv
#define MPI_Sendrecv_replace mpi_plain_Sendrecv_replace
#define MPI_Get_count mpi_plain_Get_count
#define MPI_Bcast mpi_plain_Bcast
#define MPI_Reduce mpi_plain_Reduce
#define MPI_Allreduce mpi_plain_Allreduce
#define MPI_Gather mpi_plain_Gather
#define MPI_Gatherv mpi_plain_Gatherv
#define MPI_Scatter mpi_plain_Scatter
#define MPI_Scatterv mpi_plain_Scatterv
#define MPI_Allgather mpi_plain_Allgather
#define MPI_Allgatherv mpi_plain_Allgatherv
#define MPI_Alltoall mpi_plain_Alltoall
#define MPI_Alltoallv mpi_plain_Alltoallv
#define MPI_Wait mpi_plain_Wait
#define MPI_Waitall mpi_plain_Waitall
#define MPI_Waitany mpi_plain_Waitany
#define MPI_Waitsome mpi_plain_Waitsome
#define MPI_Test mpi_plain_Test
#define MPI_Testall mpi_plain_Testall
#define MPI_Testany mpi_plain_Testany
#define MPI_Comm_dup mpi_plain_Comm_dup
#define MPI_Comm_free mpi_plain_Comm_free
#define MPI_Finalize mpi_plain_Finalize

#endif
