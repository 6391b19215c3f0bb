// SPDX-License-Identifier: Apache-2.0
// Messages that a probe has found and that no other receive can take, over calls: the probe receives them into memory of the library.

#include <stdlib.h>

#include "blocks.h"

struct message {
  int request;
  char *data;
  long bytes;
  // Where elements go.
  void *buffer;
  int count;
  MPI_Datatype type;
  long site;
};

static struct message **messages;
static int num_messages;

static MPI_Message matched(const MPI_Status *status, MPI_Comm comm, long site) {
  struct message **more = realloc(messages, (size_t)(num_messages + 1) * sizeof *more), *made = mpi_space_for(sizeof *made, site);
  if (!more) mpi_refuse("no memory for a message", site);
  messages = more;
  long bytes = (long)status->count_bytes;
  *made = (struct message){.data = mpi_space_for(bytes, site), .bytes = bytes, .site = site};
  // Of messages with this tag from this rank the one that was found is the first.
  made->request = mpi_begin_receive(made->data, bytes, status->MPI_SOURCE, status->MPI_TAG, mpi_comm_number(comm, site), site);
  messages[num_messages] = made;
  return num_messages++;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  MPI_Status found;
  MPI_Probe(from, tag, comm, &found);
  if (status) *status = found;
  *message = from == MPI_PROC_NULL ? MPI_MESSAGE_NO_PROC : matched(&found, comm, SITE);
  return MPI_SUCCESS;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
  MPI_Status found;
  MPI_Iprobe(from, tag, comm, flag, &found);
  if (!*flag) return MPI_SUCCESS;
  if (status) *status = found;
  *message = from == MPI_PROC_NULL ? MPI_MESSAGE_NO_PROC : matched(&found, comm, SITE);
  return MPI_SUCCESS;
}

static void arrived(void *state) {
  struct message *message = state;
  struct layout layout = mpi_layout(message->type, message->site);
  if (message->bytes > message->count * layout.bytes) mpi_refuse("a message that is longer than the buffer of its receive", message->site);
  mpi_unpack(message->buffer, message->data, message->bytes, &layout);
  free(message->data);
  free(message);
}

int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *number, MPI_Request *request) {
  *request = MPI_REQUEST_NULL;
  if (*number != MPI_MESSAGE_NO_PROC) {
    if (*number < 0 || *number >= num_messages || !messages[*number]) mpi_refuse("a message that no probe has found", SITE);
    struct message *message = messages[*number];
    messages[*number] = 0;
    message->buffer = data;
    message->count = count;
    message->type = type;
    *request = mpi_keep_operation(message->request, arrived, message, SITE);
  }
  *number = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  MPI_Request request;
  int is_from_nobody = *message == MPI_MESSAGE_NO_PROC;
  MPI_Imrecv(data, count, type, message, &request);
  mpi_kept_Wait(&request, status);
  if (is_from_nobody && status) status->MPI_SOURCE = MPI_PROC_NULL;
  return MPI_SUCCESS;
}
