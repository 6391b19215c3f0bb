// SPDX-License-Identifier: Apache-2.0
// A part of MPI 4.1 over the message library, and over calls: communicators, blocking and non-blocking point-to-point messages, and
// collectives. Over ports a message has at most 16777215 bytes, and a rank is in at most 60 communicators besides these two.
#ifndef NOCMSG_MPI_H
#define NOCMSG_MPI_H

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Request;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  unsigned long count_bytes;
} MPI_Status;

#define MPI_COMM_WORLD 0
#define MPI_COMM_SELF 32
#define MPI_COMM_NULL 63
#define MPI_SUCCESS 0
#define MPI_ANY_SOURCE (-1)
#define MPI_ANY_TAG (-1)
#define MPI_PROC_NULL (-2)
#define MPI_UNDEFINED (-32766)
#define MPI_REQUEST_NULL (-1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_IN_PLACE ((void *)-1)

enum { MPI_BYTE, MPI_CHAR, MPI_INT, MPI_LONG, MPI_UNSIGNED, MPI_FLOAT, MPI_DOUBLE, MPI_UNSIGNED_LONG };
#define MPI_LONG_LONG MPI_LONG
#define MPI_INT32_T MPI_INT
#define MPI_UINT32_T MPI_UNSIGNED
#define MPI_INT64_T MPI_LONG
#define MPI_UINT64_T MPI_UNSIGNED_LONG
enum { MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalized(int *flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made);
int MPI_Comm_free(MPI_Comm *comm);
// Seconds at 700 MHz, the TILEPro64's clock; and a cycle of it.
double MPI_Wtime(void);
double MPI_Wtick(void);

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status);
// A send is over when it returns.
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses);
int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                         MPI_Comm comm, MPI_Status *status);
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses);
int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
               MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                const int *starts, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Scatterv(const void *send, const int *counts, const int *starts, MPI_Datatype send_type, void *receive,
                 int receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm);
int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Allgatherv(const void *send, int send_count, MPI_Datatype send_type, void *receive, const int *counts,
                   const int *starts, MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoall(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm);
int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_starts, MPI_Datatype send_type,
                  void *receive, const int *receive_counts, const int *receive_starts, MPI_Datatype receive_type,
                  MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *data, void *result, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *data, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

#endif
