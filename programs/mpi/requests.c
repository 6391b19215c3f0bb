// SPDX-License-Identifier: Apache-2.0
// Requests that the library keeps, over calls: persistent ones, receives of derived datatypes, and operations with something to do at their end;
// and sends whose end nobody waits for.

#include <stdlib.h>
#include <string.h>

#include "blocks.h"

const char mpi_kept_mark[1] = {1};

// Numbers of kept requests begin here.
#define FIRST_KEPT (1 << 24)

// How a persistent request begins; a receive of a derived datatype and an operation are none.
enum kind { RECEIVED, OPERATION, SEND, SYNCHRONOUS_SEND, RECEIVE, COLLECTIVE };

struct kept {
  enum kind kind;
  int is_used;
  // The message that is under way, if there is one.
  MPI_Request active;
  void *data;
  int count, other, tag;
  MPI_Datatype type;
  MPI_Comm comm;
  // Where elements of a derived datatype arrive.
  struct packed packed;
  // What ends an operation, and what begins a persistent collective, with `data`.
  mpi_over *over;
  mpi_begins *begins;
};

static struct kept *all;
static int num_kept;

static struct kept *kept_of(MPI_Request request) {
  int index = request - FIRST_KEPT;
  return index >= 0 && index < num_kept && all[index].is_used ? &all[index] : 0;
}

static MPI_Request keep(struct kept kept, long site) {
  int index = 0;
  while (index < num_kept && all[index].is_used) index++;
  if (index == num_kept) {
    struct kept *more = realloc(all, (size_t)(num_kept + 1) * sizeof *more);
    if (!more) mpi_refuse("no memory for a request", site);
    all = more;
    num_kept++;
  }
  kept.is_used = 1;
  all[index] = kept;
  return FIRST_KEPT + index;
}

int mpi_keeps_requests(void) {
  for (int i = 0; i < num_kept; i++)
    if (all[i].is_used) return 1;
  return 0;
}

__attribute__((weak)) void mpi_unpacked(struct packed packed, long bytes, void *data, MPI_Datatype type, long site);

int mpi_keep_receive(struct packed packed, void *data, MPI_Datatype type, MPI_Request receive, long site) {
  return keep((struct kept){.kind = RECEIVED, .active = receive, .data = data, .type = type, .packed = packed}, site);
}

int mpi_keep_operation(MPI_Request active, mpi_over *over, void *operation, long site) {
  return keep((struct kept){.kind = OPERATION, .active = active, .data = operation, .over = over}, site);
}

int mpi_keep_begins(mpi_begins *begins, const void *arguments, long bytes, long site) {
  void *copy = malloc((size_t)bytes);
  if (!copy) mpi_refuse("no memory for a request", site);
  memcpy(copy, arguments, (size_t)bytes);
  return keep((struct kept){.kind = COLLECTIVE, .active = MPI_REQUEST_NULL, .data = copy, .begins = begins}, site);
}

static int init(enum kind kind, const void *data, int count, MPI_Datatype type, int other, int tag, MPI_Comm comm,
                MPI_Request *request, long site) {
  *request = keep((struct kept){.kind = kind, .active = MPI_REQUEST_NULL, .data = (void *)data, .count = count,
                                .other = other, .tag = tag, .type = type, .comm = comm},
                  site);
  return MPI_SUCCESS;
}

#define INIT(NAME, KIND)                                                                                               \
  int MPI_##NAME(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) { \
    return init(KIND, data, count, type, to, tag, comm, request, SITE);                                                \
  }

INIT(Send_init, SEND)
INIT(Bsend_init, SEND)
INIT(Rsend_init, SEND)
INIT(Ssend_init, SYNCHRONOUS_SEND)

int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  return init(RECEIVE, data, count, type, from, tag, comm, request, SITE);
}

// The functions that the program has, for derived datatypes too.
#undef MPI_Isend
#undef MPI_Issend
#undef MPI_Irecv

int MPI_Start(MPI_Request *request) {
  struct kept *kept = kept_of(*request);
  if (!kept || kept->kind <= OPERATION) mpi_refuse("MPI_Start of a request that is not persistent", SITE);
  if (kept->active != MPI_REQUEST_NULL) mpi_refuse("MPI_Start of a request that is under way", SITE);
  MPI_Request active;
  if (kept->kind == COLLECTIVE) {
    active = kept->begins(kept->data);
  } else if (kept->kind == RECEIVE) {
    MPI_Irecv(kept->data, kept->count, kept->type, kept->other, kept->tag, kept->comm, &active);
  } else if (kept->kind == SEND) {
    MPI_Isend(kept->data, kept->count, kept->type, kept->other, kept->tag, kept->comm, &active);
  } else {
    MPI_Issend(kept->data, kept->count, kept->type, kept->other, kept->tag, kept->comm, &active);
  }
  // Beginning may have moved the list.
  kept_of(*request)->active = active;
  return MPI_SUCCESS;
}

int MPI_Startall(int count, MPI_Request *requests) {
  for (int i = 0; i < count; i++) MPI_Start(&requests[i]);
  return MPI_SUCCESS;
}

// A send has read its data and arrives all the same; a receive that nobody waits for arrives nowhere.
int MPI_Request_free(MPI_Request *request) {
  struct kept *kept = kept_of(*request);
  if (kept && kept->kind == RECEIVED) free(kept->packed.data);
  if (kept && kept->kind == COLLECTIVE) free(kept->data);
  if (kept) kept->is_used = 0;
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

// The message of a request as calls number it. A persistent receive of a derived datatype has a kept request of its own below.
static MPI_Request inner(MPI_Request request) {
  for (struct kept *kept; (kept = kept_of(request));) request = kept->active;
  return request;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
  MPI_Request message = inner(request);
  struct result result = {0, MPI_ANY_SOURCE, MPI_ANY_TAG, 0};
  *flag = message == MPI_REQUEST_NULL || call(CALL_WAIT, (long)&message, 1, WAIT_LOOK | WAIT_KEEP, (long)&result, 0, 0, SITE);
  if (*flag) mpi_note(status, &result);
  return MPI_SUCCESS;
}

// A receive that has met a message is not cancelled, nor is anything else.
int MPI_Cancel(MPI_Request *request) {
  MPI_Request message = inner(*request);
  if (message != MPI_REQUEST_NULL) call(CALL_CANCEL, message, 0, 0, 0, 0, 0, SITE);
  return MPI_SUCCESS;
}

// A message is over: its data go to their place, its request is no more, or not active.
static void finish(MPI_Request *request, const MPI_Status *status) {
  struct kept *kept = kept_of(*request);
  if (!kept) {
    *request = MPI_REQUEST_NULL;
    return;
  }
  if (kept->kind > OPERATION) {
    MPI_Request active = kept->active;
    kept->active = MPI_REQUEST_NULL;
    if (active != MPI_REQUEST_NULL) finish(&active, status);
    return;
  }
  if (kept->kind == OPERATION) {
    kept->over(kept->data);
  } else if (kept->active != MPI_REQUEST_NULL) {
    mpi_unpacked(kept->packed, (long)status->count_bytes, kept->data, kept->type, SITE);
  } else {
    free(kept->packed.data);
  }
  // What ended it may have moved the list.
  kept_of(*request)->is_used = 0;
  *request = MPI_REQUEST_NULL;
}

// Space for the messages of requests, and for what each has given.
struct list {
  MPI_Request *inner;
  MPI_Status *statuses;
};

static struct list list_of(int count, const MPI_Request *requests, long site) {
  struct list made = {malloc((size_t)count * sizeof *made.inner + 1), malloc((size_t)count * sizeof *made.statuses + 1)};
  if (!made.inner || !made.statuses) mpi_refuse("no memory for a list of requests", site);
  for (int i = 0; i < count; i++) made.inner[i] = inner(requests[i]);
  return made;
}

static void give_back(struct list list) {
  free(list.inner);
  free(list.statuses);
}

static void finish_all(int count, MPI_Request *requests, MPI_Status *statuses, const struct list *list) {
  for (int i = 0; i < count; i++) {
    finish(&requests[i], &list->statuses[i]);
    if (statuses) statuses[i] = list->statuses[i];
  }
}

int mpi_kept_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  struct list list = list_of(count, requests, SITE);
  MPI_Waitall(count, list.inner, list.statuses);
  finish_all(count, requests, statuses, &list);
  give_back(list);
  return MPI_SUCCESS;
}

int mpi_kept_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  struct list list = list_of(count, requests, SITE);
  MPI_Testall(count, list.inner, flag, list.statuses);
  if (*flag) finish_all(count, requests, statuses, &list);
  give_back(list);
  return MPI_SUCCESS;
}

int mpi_kept_Wait(MPI_Request *request, MPI_Status *status) { return mpi_kept_Waitall(1, request, status); }

int mpi_kept_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  return mpi_kept_Testall(1, request, flag, status);
}

int mpi_kept_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  struct list list = list_of(count, requests, SITE);
  MPI_Status found;
  MPI_Waitany(count, list.inner, index, &found);
  if (*index >= 0) finish(&requests[*index], &found);
  if (status) *status = found;
  give_back(list);
  return MPI_SUCCESS;
}

int mpi_kept_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  struct list list = list_of(count, requests, SITE);
  MPI_Status found;
  MPI_Testany(count, list.inner, index, flag, &found);
  if (*flag && *index >= 0) finish(&requests[*index], &found);
  if (*flag && status) *status = found;
  give_back(list);
  return MPI_SUCCESS;
}

// One is enough for MPI; others that are over are found by the next call.
int mpi_kept_Waitsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses) {
  int index;
  mpi_kept_Waitany(count, requests, &index, statuses);
  *num_over = index == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  if (index >= 0) indices[0] = index;
  return MPI_SUCCESS;
}

int MPI_Testsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses) {
  int index, flag;
  mpi_kept_Testany(count, requests, &index, &flag, statuses);
  *num_over = !flag ? 0 : index == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  if (flag && index >= 0) indices[0] = index;
  return MPI_SUCCESS;
}
