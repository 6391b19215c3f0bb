// SPDX-License-Identifier: Apache-2.0
// Collectives of any communicator, composed of messages.
#ifndef NOCMSG_MPI_COMPOSED_H
#define NOCMSG_MPI_COMPOSED_H

#include "mpi.h"

extern __typeof__(MPI_Barrier) mpi_composed_Barrier;
extern __typeof__(MPI_Bcast) mpi_composed_Bcast;
extern __typeof__(MPI_Reduce) mpi_composed_Reduce;
extern __typeof__(MPI_Allreduce) mpi_composed_Allreduce;
extern __typeof__(MPI_Gather) mpi_composed_Gather;
extern __typeof__(MPI_Gatherv) mpi_composed_Gatherv;
extern __typeof__(MPI_Scatter) mpi_composed_Scatter;
extern __typeof__(MPI_Scatterv) mpi_composed_Scatterv;
extern __typeof__(MPI_Allgather) mpi_composed_Allgather;
extern __typeof__(MPI_Allgatherv) mpi_composed_Allgatherv;
extern __typeof__(MPI_Alltoall) mpi_composed_Alltoall;
extern __typeof__(MPI_Alltoallv) mpi_composed_Alltoallv;

#endif
