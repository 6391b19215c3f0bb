// SPDX-License-Identifier: Apache-2.0
// Sends that wait for their receiver, looks at messages before they are received, and a send and a receive in one place.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_parts.h"

// The request is the receive of the acknowledgement. Those of messages with the same tag come in the order of the messages, since the
// messages meet their receives in that order.
int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  *request = MPI_SENT;
  if (to == MPI_PROC_NULL) return MPI_SUCCESS;
  int world = mpi_world_rank(comm, to, "MPI_Issend to a rank that there is not");
  uint32_t context = mpi_context(comm);
  *request = mpi_unused_request();
  mpi_await(mpi_receive_of(*request), 0, 0, world, tag, context | MPI_INNER);
  mpi_send_bytes(world, (uint32_t)tag, context | MPI_SYNCHRONOUS, data, mpi_bytes(count, type));
  return MPI_SUCCESS;
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  MPI_Issend(data, count, type, to, tag, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                         MPI_Comm comm, MPI_Status *status) {
  size_t bytes = mpi_bytes(count, type);
  void *sent = malloc(bytes + 1);
  assert(sent && "memory for what is sent");
  memcpy(sent, data, bytes);
  MPI_Sendrecv(sent, count, type, to, send_tag, data, count, type, from, receive_tag, comm, status);
  free(sent);
  return MPI_SUCCESS;
}

static int look(int from, int tag, MPI_Comm comm, int is_waited_for, MPI_Status *status) {
  if (from == MPI_PROC_NULL) {
    if (status) *status = (MPI_Status){MPI_PROC_NULL, MPI_ANY_TAG, 0, 0};
    return 1;
  }
  struct receive wanted = {.from = from, .tag = tag, .context = mpi_context(comm)};
  if (from != MPI_ANY_SOURCE) wanted.from = mpi_world_rank(comm, from, "MPI_Probe of a rank that there is not");
  if (!is_waited_for) mpi_take_come();
  while (!mpi_is_kept(&wanted, status)) {
    if (!is_waited_for) return 0;
    mpi_take_next();
  }
  return 1;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
  look(from, tag, comm, 1, status);
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  *flag = look(from, tag, comm, 0, status);
  return MPI_SUCCESS;
}
