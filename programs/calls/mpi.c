// SPDX-License-Identifier: Apache-2.0
// MPI over calls: the beginning and the end, communicators, messages, requests.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "noccl.h"

// By this symbol `noccl run` knows a program of calls; the linker keeps it.
const char __noccl_calls[1] = {1};

// Communicators behind that of all ranks have numbers above all constants of the header.
#define FIRST_COMM 64
#define COMM_NULL (-1)

static int state;
enum { BEFORE, INSIDE, AFTER };

_Noreturn void refuse(const char *text, long site) {
  call(CALL_FAIL, (long)text, (long)strlen(text), 0, 0, 0, 0, site);
  abort();
}

long comm_number(MPI_Comm comm, long site) {
  if (comm == MPI_COMM_WORLD) return 0;
#ifdef MPI_COMM_SELF
  if (comm == MPI_COMM_SELF) return call(CALL_ALONE, 0, 0, 0, 0, 0, 0, site);
#endif
  return comm < FIRST_COMM ? -1 : comm - FIRST_COMM;
}

static long members(long comm, long site) { return call(CALL_MEMBERS, comm, 0, 0, 0, 0, 0, site); }

long comm_rank(long comm, long site) { return members(comm, site) & 0xffffffff; }
long comm_size(long comm, long site) { return members(comm, site) >> 32; }

int MPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  state = INSIDE;
  return MPI_SUCCESS;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  (void)required;
  *provided = 0;
  return MPI_Init(argc, argv);
}

int MPI_Initialized(int *flag) {
  *flag = state != BEFORE;
  return MPI_SUCCESS;
}

int MPI_Finalize(void) {
  state = AFTER;
  return MPI_SUCCESS;
}

int MPI_Finalized(int *flag) {
  *flag = state == AFTER;
  return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm comm, int code) {
  (void)comm;
  char text[48];
  snprintf(text, sizeof text, "calls MPI_Abort with code %d", code);
  refuse(text, SITE);
}

double MPI_Wtick(void) { return 1.0 / (double)call(CALL_CLOCK, 0, 0, 0, 0, 0, 0, SITE); }

double MPI_Wtime(void) { return (double)noccl_cycle() / (double)call(CALL_CLOCK, 0, 0, 0, 0, 0, 0, SITE); }

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  *rank = (int)comm_rank(comm_number(comm, SITE), SITE);
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  *size = (int)comm_size(comm_number(comm, SITE), SITE);
  return MPI_SUCCESS;
}

static int split(MPI_Comm comm, long colour, long key, MPI_Comm *made, long site) {
  long number = call(CALL_SPLIT, comm_number(comm, site), colour < 0 ? -1 : colour, key, 0, 0, 0, site);
  *made = number < 0 ? COMM_NULL : (MPI_Comm)number + FIRST_COMM;
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made) { return split(comm, colour, key, made, SITE); }

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  return split(comm, 0, comm_rank(comm_number(comm, SITE), SITE), made, SITE);
}

int MPI_Comm_free(MPI_Comm *comm) {
  *comm = COMM_NULL;
  return MPI_SUCCESS;
}

int begin_send(const void *data, long bytes, long to, long tag, long comm, long site) {
  return (int)call(CALL_SEND, (long)data, bytes, to, tag, comm, 0, site);
}

int begin_receive(void *data, long bytes, long from, long tag, long comm, long site) {
  return (int)call(CALL_RECEIVE, (long)data, bytes, from, tag, comm, 0, site);
}

static void note(MPI_Status *status, const struct result *result) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = (int)result->source;
  status->MPI_TAG = (int)result->tag;
  status->MPI_ERROR = MPI_SUCCESS;
  status->count_bytes = (unsigned long)result->bytes;
}

static const struct result nothing = {0, MPI_ANY_SOURCE, MPI_ANY_TAG, 0};
static const struct result from_nobody = {0, MPI_PROC_NULL, MPI_ANY_TAG, 0};

void finish(int request, long site) {
  struct result result;
  call(CALL_WAIT, (long)&request, 1, 0, (long)&result, 0, 0, site);
}

static int send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, long is_synchronous,
                MPI_Request *request, long site) {
  *request = MPI_REQUEST_NULL;
  if (to == MPI_PROC_NULL) return MPI_SUCCESS;
  long bytes = bytes_of(count, type, site);
  *request = (int)call(CALL_SEND, (long)data, bytes, to, tag, comm_number(comm, site), is_synchronous, site);
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
  finish(request, SITE);
  return MPI_SUCCESS;
}

int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  send(data, count, type, to, tag, comm, 1, &request, SITE);
  finish(request, SITE);
  return MPI_SUCCESS;
}

static int receive(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request,
                   long site) {
  *request = MPI_REQUEST_NULL;
  if (from == MPI_PROC_NULL) return MPI_SUCCESS;
  *request = begin_receive(data, bytes_of(count, type, site), from, tag, comm_number(comm, site), site);
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
  note(status, &result);
  return MPI_SUCCESS;
}

int MPI_Sendrecv(const void *data, int send_count, MPI_Datatype send_type, int to, int send_tag, void *room,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status) {
  MPI_Request both[2];
  struct result results[2] = {from_nobody, from_nobody};
  receive(room, receive_count, receive_type, from, receive_tag, comm, &both[0], SITE);
  send(data, send_count, send_type, to, send_tag, comm, 0, &both[1], SITE);
  call(CALL_WAIT, (long)both, 2, 0, (long)results, 0, 0, SITE);
  note(status, from == MPI_PROC_NULL ? &from_nobody : &results[0]);
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
  note(status, from == MPI_PROC_NULL ? &from_nobody : &results[0]);
  return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  *count = (int)((long)status->count_bytes / bytes_of(1, type, SITE));
  return MPI_SUCCESS;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
  struct result result = from_nobody;
  if (from != MPI_PROC_NULL) call(CALL_PROBE, from, tag, comm_number(comm, SITE), (long)&result, 1, 0, SITE);
  note(status, &result);
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status) {
  struct result result = from_nobody;
  *flag = 1;
  if (from != MPI_PROC_NULL)
    *flag = (int)call(CALL_PROBE, from, tag, comm_number(comm, SITE), (long)&result, 0, 0, SITE);
  if (*flag) note(status, &result);
  return MPI_SUCCESS;
}
