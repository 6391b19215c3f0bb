// SPDX-License-Identifier: Apache-2.0
// Buffered and ready sends, over calls. A send reads its data at the call, so that a buffered one, whose end nobody waits for, needs no
// buffer; one that is ready is an ordinary one.

#include "shared.h"

static void *attached;
static int attached_bytes;

int MPI_Buffer_attach(void *buffer, int bytes) {
  attached = buffer;
  attached_bytes = bytes;
  return MPI_SUCCESS;
}

int MPI_Buffer_detach(void *buffer, int *bytes) {
  *(void **)buffer = attached;
  *bytes = attached_bytes;
  attached = 0;
  attached_bytes = 0;
  return MPI_SUCCESS;
}

int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request nobody_waits;
  return MPI_Isend(data, count, type, to, tag, comm, &nobody_waits);
}

// Its request is over at once.
int MPI_Ibsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Bsend(data, count, type, to, tag, comm);
}

int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return MPI_Send(data, count, type, to, tag, comm);
}

int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return MPI_Isend(data, count, type, to, tag, comm, request);
}
