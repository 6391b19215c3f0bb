// SPDX-License-Identifier: Apache-2.0
// Messages of derived datatypes: elements travel as consecutive bytes. A send reads its data at the call.

#include <stdlib.h>

#include "types.h"

// Kinds of sends: the plain one of packed bytes, or of the elements where the datatype is one of MPI.
#define SEND(NAME)                                                                                                     \
  int mpi_typed_##NAME(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {               \
    if (!mpi_is_derived(type)) return mpi_plain_##NAME(data, count, type, to, tag, comm);                              \
    struct packed packed = mpi_packed(data, count, type, SITE);                                                        \
    mpi_plain_##NAME(packed.data, (int)packed.bytes, MPI_BYTE, to, tag, comm);                                         \
    free(packed.data);                                                                                                 \
    return MPI_SUCCESS;                                                                                                \
  }

#define BEGIN_SEND(NAME)                                                                                               \
  int mpi_typed_##NAME(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,                 \
                       MPI_Request *request) {                                                                         \
    if (!mpi_is_derived(type)) return mpi_plain_##NAME(data, count, type, to, tag, comm, request);                     \
    struct packed packed = mpi_packed(data, count, type, SITE);                                                        \
    mpi_plain_##NAME(packed.data, (int)packed.bytes, MPI_BYTE, to, tag, comm, request);                                \
    free(packed.data);                                                                                                 \
    return MPI_SUCCESS;                                                                                                \
  }

SEND(Send)
SEND(Ssend)
BEGIN_SEND(Isend)
BEGIN_SEND(Issend)

int mpi_typed_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!mpi_is_derived(type)) return MPI_Recv(data, count, type, from, tag, comm, status);
  struct packed packed = mpi_space(count, type, SITE);
  MPI_Status found;
  MPI_Recv(packed.data, (int)packed.bytes, MPI_BYTE, from, tag, comm, &found);
  mpi_unpacked(packed, (long)found.count_bytes, data, type, SITE);
  if (status) *status = found;
  return MPI_SUCCESS;
}

int mpi_typed_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  if (!mpi_is_derived(type)) return MPI_Irecv(data, count, type, from, tag, comm, request);
  struct packed packed = mpi_space(count, type, SITE);
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Irecv(packed.data, (int)packed.bytes, MPI_BYTE, from, tag, comm, &receive);
  *request = mpi_keep_receive(packed, data, type, receive, SITE);
  return MPI_SUCCESS;
}

int mpi_typed_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to, int send_tag, void *data,
                       int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!mpi_is_derived(send_type) && !mpi_is_derived(type))
    return MPI_Sendrecv(send, send_count, send_type, to, send_tag, data, count, type, from, tag, comm, status);
  struct packed sent = mpi_packed(send, send_count, send_type, SITE), received = mpi_space(count, type, SITE);
  MPI_Status found;
  MPI_Sendrecv(sent.data, (int)sent.bytes, MPI_BYTE, to, send_tag, received.data, (int)received.bytes, MPI_BYTE, from, tag,
               comm, &found);
  free(sent.data);
  mpi_unpacked(received, (long)found.count_bytes, data, type, SITE);
  if (status) *status = found;
  return MPI_SUCCESS;
}

int mpi_typed_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int send_tag, int from, int tag,
                               MPI_Comm comm, MPI_Status *status) {
  if (!mpi_is_derived(type)) return MPI_Sendrecv_replace(data, count, type, to, send_tag, from, tag, comm, status);
  return mpi_typed_Sendrecv(data, count, type, to, send_tag, data, count, type, from, tag, comm, status);
}
