// SPDX-License-Identifier: Apache-2.0
// MPI over calls: waiting for requests, and looking whether they are over.

#include <stdlib.h>

#include "calls.h"

// Results of so many requests lie on the stack.
#define FEW 16

// Of a request that there is not.
static const struct result nothing = {0, MPI_ANY_SOURCE, MPI_ANY_TAG, 0};

static int num_open(int count, const MPI_Request *requests) {
  int found = 0;
  for (int i = 0; i < count; i++) found += requests[i] != MPI_REQUEST_NULL;
  return found;
}

// All of them; 0 if it only looks and they are not all over.
static int all(int count, MPI_Request *requests, MPI_Status *statuses, long how, long site) {
  int open = num_open(count, requests);
  struct result few[FEW], *results = open > FEW ? malloc((size_t)open * sizeof *results) : few;
  if (!results) mpi_refuse("no memory for the results of requests", site);
  long given = call(CALL_WAIT, (long)requests, count, how, (long)results, 0, 0, site);
  int is_over = given == open;
  for (int i = 0; i < count && is_over && statuses; i++) mpi_note(&statuses[i], &nothing);
  for (long i = 0; i < given; i++) {
    requests[results[i].index] = MPI_REQUEST_NULL;
    if (statuses) mpi_note(&statuses[results[i].index], &results[i]);
  }
  if (results != few) free(results);
  return is_over;
}

// One of them: its place, or MPI_UNDEFINED if there is none; -1 if it only looks and none is over.
static int one(int count, MPI_Request *requests, MPI_Status *status, long how, long site) {
  struct result result = nothing;
  if (num_open(count, requests) == 0) {
    mpi_note(status, &nothing);
    return MPI_UNDEFINED;
  }
  if (!call(CALL_WAIT, (long)requests, count, how | WAIT_ONE, (long)&result, 0, 0, site)) return -1;
  requests[result.index] = MPI_REQUEST_NULL;
  mpi_note(status, &result);
  return (int)result.index;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  one(1, request, status, 0, SITE);
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  all(count, requests, statuses, 0, SITE);
  return MPI_SUCCESS;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  *index = one(count, requests, status, 0, SITE);
  return MPI_SUCCESS;
}

// One is enough for MPI; others that are over are found by the next call.
int MPI_Waitsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses) {
  int index = one(count, requests, statuses, 0, SITE);
  *num_over = index == MPI_UNDEFINED ? MPI_UNDEFINED : 1;
  if (index >= 0) indices[0] = index;
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  *flag = one(1, request, status, WAIT_LOOK, SITE) != -1;
  return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  *flag = all(count, requests, statuses, WAIT_LOOK, SITE);
  return MPI_SUCCESS;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  int found = one(count, requests, status, WAIT_LOOK, SITE);
  *flag = found != -1;
  *index = found == -1 ? MPI_UNDEFINED : found;
  return MPI_SUCCESS;
}
