// SPDX-License-Identifier: Apache-2.0
// Waiting for some of many requests, and looking whether they are over. Who looks takes in what has come, so a loop of looks ends.

#include "mpi_parts.h"

// Of no request.
static const MPI_Status nothing = {MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0};

static int is_over(MPI_Request request) { return request < 0 || mpi_receive_of(request)->is_over; }

static int num_open(int count, const MPI_Request *requests) {
  int open = 0;
  for (int i = 0; i < count; i++) open += requests[i] != MPI_REQUEST_NULL;
  return open;
}

// The place of the first one that is over, or -1.
static int first_over(int count, const MPI_Request *requests) {
  for (int i = 0; i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL && is_over(requests[i])) return i;
  return -1;
}

// One of them: its place, or MPI_UNDEFINED if there is none; -1 if it only looks and none is over.
static int one(int count, MPI_Request *requests, MPI_Status *status, int is_waited_for) {
  if (num_open(count, requests) == 0) {
    if (status) *status = nothing;
    return MPI_UNDEFINED;
  }
  int place = first_over(count, requests);
  if (place < 0 && !is_waited_for) {
    mpi_take_come();
    place = first_over(count, requests);
  }
  while (place < 0 && is_waited_for) {
    mpi_take_next();
    place = first_over(count, requests);
  }
  if (place >= 0) MPI_Wait(&requests[place], status);
  return place;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  *index = one(count, requests, status, 1);
  return MPI_SUCCESS;
}

int MPI_Waitsome(int count, MPI_Request *requests, int *num_over, int *indices, MPI_Status *statuses) {
  int place = one(count, requests, statuses, 1);
  *num_over = MPI_UNDEFINED;
  if (place == MPI_UNDEFINED) return MPI_SUCCESS;
  indices[0] = place;
  *num_over = 1;
  for (int i = place + 1; i < count; i++) {
    if (requests[i] == MPI_REQUEST_NULL || !is_over(requests[i])) continue;
    MPI_Wait(&requests[i], statuses ? &statuses[*num_over] : 0);
    indices[(*num_over)++] = i;
  }
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  *flag = one(1, request, status, 0) != -1;
  return MPI_SUCCESS;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  int found = one(count, requests, status, 0);
  *flag = found != -1;
  *index = found == -1 ? MPI_UNDEFINED : found;
  return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  mpi_take_come();
  *flag = 1;
  for (int i = 0; i < count; i++) *flag = *flag && is_over(requests[i]);
  return *flag ? MPI_Waitall(count, requests, statuses) : MPI_SUCCESS;
}
