// SPDX-License-Identifier: Apache-2.0
// Stands before the message library's mpi.h: calls of a program go to the recorder of executed cores, which makes the real ones.
#include_next <mpi.h>

#ifndef NOCCL_RECORD_CALLS
#define NOCCL_RECORD_CALLS
int noccl_record_Init(int *argc, char ***argv);
int noccl_record_Finalize(void);
int noccl_record_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int noccl_record_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
int noccl_record_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int noccl_record_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int noccl_record_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                          int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                          MPI_Status *status);
int noccl_record_Wait(MPI_Request *request, MPI_Status *status);
int noccl_record_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int noccl_record_Barrier(MPI_Comm comm);
int noccl_record_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int noccl_record_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int noccl_record_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int noccl_record_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                        MPI_Datatype receive_type, int root, MPI_Comm comm);
int noccl_record_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                         const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm);
int noccl_record_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                         MPI_Datatype receive_type, int root, MPI_Comm comm);
int noccl_record_Scatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                          int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int noccl_record_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                           MPI_Datatype receive_type, MPI_Comm comm);
int noccl_record_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                            const int *starts, MPI_Datatype receive_type, MPI_Comm comm);
int noccl_record_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                          MPI_Datatype receive_type, MPI_Comm comm);
int noccl_record_Alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                           void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                           MPI_Comm comm);

#ifndef NOCCL_RECORDER
#define MPI_Init noccl_record_Init
#define MPI_Finalize noccl_record_Finalize
#define MPI_Send noccl_record_Send
#define MPI_Recv noccl_record_Recv
#define MPI_Isend noccl_record_Isend
#define MPI_Irecv noccl_record_Irecv
#define MPI_Sendrecv noccl_record_Sendrecv
#define MPI_Wait noccl_record_Wait
#define MPI_Waitall noccl_record_Waitall
#define MPI_Barrier noccl_record_Barrier
#define MPI_Bcast noccl_record_Bcast
#define MPI_Reduce noccl_record_Reduce
#define MPI_Allreduce noccl_record_Allreduce
#define MPI_Gather noccl_record_Gather
#define MPI_Gatherv noccl_record_Gatherv
#define MPI_Scatter noccl_record_Scatter
#define MPI_Scatterv noccl_record_Scatterv
#define MPI_Allgather noccl_record_Allgather
#define MPI_Allgatherv noccl_record_Allgatherv
#define MPI_Alltoall noccl_record_Alltoall
#define MPI_Alltoallv noccl_record_Alltoallv
// What is not recorded: the linker names it.
#define MPI_Comm_split noccl_does_not_record_MPI_Comm_split
#define MPI_Comm_dup noccl_does_not_record_MPI_Comm_dup
#define MPI_Comm_free noccl_does_not_record_MPI_Comm_free
#define MPI_Ssend noccl_does_not_record_MPI_Ssend
#define MPI_Issend noccl_does_not_record_MPI_Issend
#define MPI_Sendrecv_replace noccl_does_not_record_MPI_Sendrecv_replace
#define MPI_Probe noccl_does_not_record_MPI_Probe
#define MPI_Iprobe noccl_does_not_record_MPI_Iprobe
#define MPI_Waitany noccl_does_not_record_MPI_Waitany
#define MPI_Waitsome noccl_does_not_record_MPI_Waitsome
#define MPI_Test noccl_does_not_record_MPI_Test
#define MPI_Testall noccl_does_not_record_MPI_Testall
#define MPI_Testany noccl_does_not_record_MPI_Testany
#define MPI_Reduce_scatter_block noccl_does_not_record_MPI_Reduce_scatter_block
#define MPI_Reduce_scatter noccl_does_not_record_MPI_Reduce_scatter
#define MPI_Scan noccl_does_not_record_MPI_Scan
#define MPI_Exscan noccl_does_not_record_MPI_Exscan
#endif
#endif
