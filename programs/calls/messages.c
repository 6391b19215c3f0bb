// SPDX-License-Identifier: Apache-2.0
// MPI over calls: sends, receives and probes.

#include "calls.h"

int mpi_begin_send(const void *data, long bytes, long to, long tag, long comm, long site) {
  return (int)call(CALL_SEND, (long)data, bytes, to, tag, comm, 0, site);
}

int mpi_begin_receive(void *data, long bytes, long from, long tag, long comm, long site) {
  return (int)call(CALL_RECEIVE, (long)data, bytes, from, tag, comm, 0, site);
}

void mpi_note(MPI_Status *status, const struct result *result) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = (int)result->source;
  status->MPI_TAG = (int)result->tag;
  status->MPI_ERROR = MPI_SUCCESS;
  status->count_bytes = (unsigned long)result->bytes;
}

// Of a receive from nobody.
static const struct result from_nobody = {0, MPI_PROC_NULL, MPI_ANY_TAG, 0};

void mpi_finish(int request, long site) {
  struct result result;
  call(CALL_WAIT, (long)&request, 1, 0, (long)&result, 0, 0, site);
}

static int send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, long is_synchronous,
                MPI_Request *request, long site) {
  *request = MPI_REQUEST_NULL;
  if (to == MPI_PROC_NULL) return MPI_SUCCESS;
  long bytes = mpi_bytes_of(count, type, site);
  *request = (int)call(CALL_SEND, (long)data, bytes, to, tag, mpi_comm_number(comm, site), is_synchronous, site);
  return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return send(data, count, type, to, tag, comm, 0, request, SITE);
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return send(data, count, type, to, tag, comm, 1, request, SITE);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  send(data, count, type, to, tag, comm, 0, &request, SITE);
  mpi_finish(request, SITE);
  return MPI_SUCCESS;
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  send(data, count, type, to, tag, comm, 1, &request, SITE);
  mpi_finish(request, SITE);
  return MPI_SUCCESS;
}

static int receive(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request,
                   long site) {
  *request = MPI_REQUEST_NULL;
  if (from == MPI_PROC_NULL) return MPI_SUCCESS;
  *request = mpi_begin_receive(data, mpi_bytes_of(count, type, site), from, tag, mpi_comm_number(comm, site), site);
  return MPI_SUCCESS;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  return receive(data, count, type, from, tag, comm, request, SITE);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  MPI_Request request;
  struct result result = from_nobody;
  receive(data, count, type, from, tag, comm, &request, SITE);
  call(CALL_WAIT, (long)&request, 1, 0, (long)&result, 0, 0, SITE);
  mpi_note(status, &result);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void *data, int send_count, MPI_Datatype send_type, int to, int send_tag, void *buffer,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status) {
  MPI_Request both[2];
  struct result results[2] = {from_nobody, from_nobody};
  receive(buffer, receive_count, receive_type, from, receive_tag, comm, &both[0], SITE);
  send(data, send_count, send_type, to, send_tag, comm, 0, &both[1], SITE);
  call(CALL_WAIT, (long)both, 2, 0, (long)results, 0, 0, SITE);
  mpi_note(status, from == MPI_PROC_NULL ? &from_nobody : &results[0]);
  return MPI_SUCCESS;
}

// What is sent is taken when the call is made.
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                         MPI_Comm comm, MPI_Status *status) {
  MPI_Request both[2];
  struct result results[2] = {from_nobody, from_nobody};
  receive(data, count, type, from, receive_tag, comm, &both[0], SITE);
  send(data, count, type, to, send_tag, comm, 0, &both[1], SITE);
  call(CALL_WAIT, (long)both, 2, 0, (long)results, 0, 0, SITE);
  mpi_note(status, from == MPI_PROC_NULL ? &from_nobody : &results[0]);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  *count = (int)((long)status->count_bytes / mpi_bytes_of(1, type, SITE));
  return MPI_SUCCESS;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
  struct result result = from_nobody;
  if (from != MPI_PROC_NULL) call(CALL_PROBE, from, tag, mpi_comm_number(comm, SITE), (long)&result, 1, 0, SITE);
  mpi_note(status, &result);
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  struct result result = from_nobody;
  *flag = 1;
  if (from != MPI_PROC_NULL)
    *flag = (int)call(CALL_PROBE, from, tag, mpi_comm_number(comm, SITE), (long)&result, 0, 0, SITE);
  if (*flag) mpi_note(status, &result);
  return MPI_SUCCESS;
}
