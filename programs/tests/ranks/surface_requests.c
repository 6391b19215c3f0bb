// SPDX-License-Identifier: Apache-2.0
// Persistent requests, requests that are freed, buffered and ready sends.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void ring_of_persistent(void) {
  int sent = rank, received = 0, sum = 0;
  MPI_Request requests[2];
  MPI_Send_init(&sent, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&received, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
  for (int step = 0; step < size; step++) {
    MPI_Status statuses[2];
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    sum += received * (step + 1) + statuses[1].MPI_SOURCE;
    sent = received;
  }
  int is_kept = requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL, all[64];
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Gather(&sum, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; i++) printf("%d ", all[i]);
  if (rank == 0) printf("kept %d, null %d\n", is_kept, requests[0] == MPI_REQUEST_NULL);
}

// Every second column of a table, from all ranks to rank 0, by any of the requests.
static void columns(void) {
  double table[4][6] = {{0}};
  MPI_Datatype column;
  MPI_Request *requests = malloc((size_t)size * sizeof *requests);
  double(*received)[4][6] = calloc((size_t)size, sizeof *received);
  MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 24; i++) table[i / 6][i % 6] = 100 * rank + i;
  for (int i = 0; rank == 0 && i < size; i++)
    MPI_Recv_init(&received[i][0][1], 1, column, i, 5, MPI_COMM_WORLD, &requests[i]);
  for (int round = 0; round < 2; round++) {
    if (rank == 0) MPI_Startall(size, requests);
    MPI_Send(&table[0][2 + round], 1, column, 0, 5, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++) {
      int index;
      MPI_Status status;
      MPI_Waitany(size, requests, &index, &status);
      if (status.MPI_SOURCE != index) printf("from %d, not %d\n", status.MPI_SOURCE, index);
    }
    double sum = 0;
    for (int i = 0; rank == 0 && i < size; i++)
      for (int y = 0; y < 4; y++) sum += received[i][y][1] * (y + 1) + received[i][y][0];
    if (rank == 0) printf("columns %g\n", sum);
  }
  if (rank == 0) {
    int index = 0;
    MPI_Status status;
    MPI_Waitany(size, requests, &index, &status);
    printf("nothing left %d\n", index == MPI_UNDEFINED);
    for (int i = 0; i < size; i++) MPI_Request_free(&requests[i]);
  }
  free(received);
  free(requests);
}

static void tests(void) {
  int value = rank, got[2] = {-1, -1}, flag = 0, num_over = 0, total = 0, indices[2];
  MPI_Request requests[2];
  MPI_Irecv(&got[0], 1, MPI_INT, (rank + size - 1) % size, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&got[1], 1, MPI_INT, (rank + size - 1) % size, 9, MPI_COMM_WORLD, &requests[1]);
  char buffer[2 * (sizeof value + MPI_BSEND_OVERHEAD)], *detached;
  int bytes;
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Bsend(&value, 1, MPI_INT, (rank + 1) % size, 9, MPI_COMM_WORLD);
  value += 10;
  MPI_Rsend(&value, 1, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD);
  while (total < 2) {
    MPI_Testsome(2, requests, &num_over, indices, MPI_STATUSES_IGNORE);
    total += num_over;
  }
  MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Buffer_detach(&detached, &bytes);
  int last = (rank + size - 1) % size;
  int good = flag && got[0] == last + 10 && got[1] == last && detached == buffer && bytes == (int)sizeof buffer, all;
  MPI_Reduce(&good, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("buffered and ready %d\n", all);
}

static void freed(void) {
  MPI_Request request;
  int value = 50 + rank, got = 0, sum;
  MPI_Isend(&value, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Reduce(&got, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("freed %d\n", sum);
}

// A receive that is withdrawn, also one of a derived datatype and a persistent one, and requests that are asked without being ended.
static void withdrawn(void) {
  int last = (rank + size - 1) % size, got = -1, values[4] = {-1, -1, -1, -1}, flags[3] = {0}, flag = 0, found = 0;
  MPI_Status status;
  MPI_Request requests[3];
  MPI_Datatype spread;
  MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Irecv(&got, 1, MPI_INT, last, 99, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(values, 1, spread, last, 99, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &requests[2]);
  MPI_Start(&requests[2]);
  for (int i = 0; i < 3; i++) {
    MPI_Request_get_status(requests[i], &flag, &status);
    found += flag;
    MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[i], &status);
    MPI_Test_cancelled(&status, &flags[i]);
  }
  MPI_Request_free(&requests[2]);
  MPI_Irecv(values, 1, spread, last, 7, MPI_COMM_WORLD, &requests[0]);
  int sent[2] = {rank, rank + 100};
  MPI_Send(sent, 2, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status(requests[0], &flag, &status);
  int source = status.MPI_SOURCE, is_kept = requests[0] != MPI_REQUEST_NULL;
  MPI_Wait(&requests[0], &status);
  MPI_Request_get_status(requests[0], &flag, &status);
  int good = found == 0 && flags[0] && flags[1] && flags[2] && source == last && is_kept && flag && got == -1 && values[0] == last &&
             values[1] == -1 && values[2] == last + 100, all;
  MPI_Type_free(&spread);
  MPI_Reduce(&good, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("withdrawn %d\n", all);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ring_of_persistent();
  columns();
  tests();
  freed();
  withdrawn();
  MPI_Finalize();
  return 0;
}
