// SPDX-License-Identifier: Apache-2.0
// Linked to a program that runs with native MPI: counts its calls by their bytes and prints a line for each kind,
//   calls RANK NAME BYTES COUNT
// Exchanges have the bytes of a pair; those of any length have none.
#include <mpi.h>
#include <stdio.h>

#define MOST_KINDS 64

static struct {
  const char *name;
  long bytes, count;
} kinds[MOST_KINDS];

static void count(const char *name, int elements, MPI_Datatype type) {
  int size, kind = 0;
  MPI_Type_size(type, &size);
  long bytes = (long)elements * size;
  while (kind < MOST_KINDS - 1 && kinds[kind].count && (kinds[kind].name != name || kinds[kind].bytes != bytes)) kind++;
  kinds[kind].name = name;
  kinds[kind].bytes = bytes;
  kinds[kind].count++;
}

static const char send[] = "Send", reduce[] = "Reduce", all_reduce[] = "Allreduce", broadcast[] = "Bcast",
                  all_to_all[] = "Alltoall", all_to_all_v[] = "Alltoallv";

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count(send, n, type);
  return PMPI_Send(data, n, type, to, tag, comm);
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  count(send, n, type);
  return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Reduce(const void *data, void *result, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  count(reduce, n, type);
  return PMPI_Reduce(data, result, n, type, op, root, comm);
}

int MPI_Allreduce(const void *data, void *result, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  count(all_reduce, n, type);
  return PMPI_Allreduce(data, result, n, type, op, comm);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  count(broadcast, n, type);
  return PMPI_Bcast(data, n, type, root, comm);
}

int MPI_Alltoall(const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype other, MPI_Comm comm) {
  count(all_to_all, n, type);
  return PMPI_Alltoall(from, n, type, to, m, other, comm);
}

int MPI_Alltoallv(const void *from, const int *n, const int *starts, MPI_Datatype type, void *to, const int *m,
                  const int *places, MPI_Datatype other, MPI_Comm comm) {
  count(all_to_all_v, 0, type);
  return PMPI_Alltoallv(from, n, starts, type, to, m, places, other, comm);
}

int MPI_Finalize(void) {
  static char lines[64 * MOST_KINDS];
  int rank, length = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int kind = 0; kind < MOST_KINDS && kinds[kind].count; kind++)
    length += snprintf(lines + length, sizeof lines - (size_t)length, "calls %d %s %ld %ld\n", rank, kinds[kind].name,
                       kinds[kind].bytes, kinds[kind].count);
  fputs(lines, stdout);
  fflush(stdout);
  return PMPI_Finalize();
}
