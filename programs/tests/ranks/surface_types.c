// SPDX-License-Identifier: Apache-2.0
// Derived datatypes: bounds, messages, collectives, packing.

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct particle {
  char kind;
  double at[3];
  int number;
};

static int rank, size;

static void bounds(const char *name, MPI_Datatype type) {
  int bytes;
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  if (rank == 0)
    printf("%s: %d bytes, from %ld, extent %ld, true from %ld, %ld\n", name, bytes, (long)lower, (long)extent,
           (long)true_lower, (long)true_extent);
}

static MPI_Datatype particle_type(void) {
  int lengths[3] = {1, 3, 1};
  MPI_Aint places[3] = {offsetof(struct particle, kind), offsetof(struct particle, at), offsetof(struct particle, number)};
  MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, made;
  MPI_Type_create_struct(3, lengths, places, types, &made);
  MPI_Type_commit(&made);
  return made;
}

static void all_bounds(MPI_Datatype particle) {
  MPI_Datatype type, other;
  int lengths[3] = {2, 1, 3}, places[3] = {0, 5, 9}, sizes[2] = {6, 8}, parts[2] = {2, 3}, starts[2] = {1, 4};
  bounds("particle", particle);
  MPI_Type_contiguous(5, MPI_INT, &type);
  bounds("contiguous", type);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &other);
  bounds("vector", other);
  MPI_Type_vector(2, 1, -3, type, &other);
  bounds("vector of contiguous, backwards", other);
  MPI_Type_create_hvector(3, 1, 10, MPI_SHORT, &other);
  bounds("hvector", other);
  MPI_Type_indexed(3, lengths, places, MPI_FLOAT, &other);
  bounds("indexed", other);
  MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &other);
  bounds("indexed block", other);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &other);
  bounds("subarray", other);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &other);
  bounds("subarray of Fortran", other);
  MPI_Type_create_resized(MPI_INT, -4, 20, &other);
  bounds("resized", other);
  MPI_Type_dup(other, &type);
  bounds("copy", type);
  bounds("pair", MPI_DOUBLE_INT);
}

static void messages(MPI_Datatype particle) {
  struct particle sent[3], received[3];
  memset(sent, 0, sizeof sent);
  memset(received, 0, sizeof received);
  int next = (rank + 1) % size, last = (rank + size - 1) % size, count = 0, good = 1;
  for (int i = 0; i < 3; i++) sent[i] = (struct particle){(char)('a' + rank), {i, rank, 0.5}, 10 * rank + i};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(received, 3, particle, last, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 2, particle, next, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], particle, &count);
  for (int i = 0; i < 2; i++)
    good = good && received[i].kind == 'a' + last && received[i].at[1] == last && received[i].number == 10 * last + i;
  good = good && count == 2 && received[2].number == 0 && requests[0] == MPI_REQUEST_NULL;
  int all;
  MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("particles %d\n", all);
}

// A matrix by columns from the root, then transposed by an exchange of columns, then gathered by rows.
static void matrix(void) {
  enum { MOST = 16 };
  double whole[MOST][MOST], column[MOST], turned[MOST];
  MPI_Datatype type, one;
  MPI_Type_vector(size, 1, MOST, MPI_DOUBLE, &type);
  MPI_Type_create_resized(type, 0, sizeof(double), &one);
  MPI_Type_commit(&type);
  MPI_Type_commit(&one);
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) whole[y][x] = rank == 0 ? 100 * y + x : -1;
  MPI_Scatter(whole, 1, one, column, size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Alltoall(column, 1, MPI_DOUBLE, turned, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Gather(turned, size, MPI_DOUBLE, whole, 1, one, 0, MPI_COMM_WORLD);
  double sum = 0;
  for (int y = 0; y < size; y++)
    for (int x = 0; x < size; x++) sum += whole[y][x] * (y + 2 * x + 1);
  if (rank == 0) printf("column %g, transposed %g %g, sum %g\n", column[size - 1], whole[0][size - 1], whole[size - 1][0], sum);
  for (int i = 0; i < size; i++) whole[i][0] = rank;
  MPI_Bcast(whole, 1, type, size - 1, MPI_COMM_WORLD);
  MPI_Allgather(turned, size, MPI_DOUBLE, &whole[0][1], 1, one, MPI_COMM_WORLD);
  sum = 0;
  for (int i = 0; i < size; i++) sum += whole[i][0] + 10 * whole[i][1];
  if (rank == 0) printf("after a broadcast %g\n", sum);
}

static void packing(void) {
  char buffer[100];
  int position = 0, whole = 7 + rank, bytes, found = 0;
  double real[2] = {1.5, -2.5}, back[2] = {0, 0};
  MPI_Pack_size(2, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
  MPI_Pack(&whole, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(real, 2, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Bcast(&position, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(buffer, position, MPI_PACKED, 0, MPI_COMM_WORLD);
  position = 0;
  MPI_Unpack(buffer, sizeof buffer, &position, &found, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(buffer, sizeof buffer, &position, back, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  int good = found == 7 && back[0] == 1.5 && back[1] == -2.5 && position == 4 + bytes, all;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (rank == 0) printf("packed %d, %d bytes\n", all, bytes);
}

// A datatype may be freed while a receive, a collective or a persistent request uses it.
static void freed_early(void) {
  int table[3][4], other[3][4], column[3] = {rank, rank + 10, rank + 20};
  for (int i = 0; i < 12; i++) table[i / 4][i % 4] = other[i / 4][i % 4] = -1;
  MPI_Datatype types[3];
  MPI_Request requests[3];
  for (int i = 0; i < 3; i++) {
    MPI_Type_vector(3, 1, 4, MPI_INT, &types[i]);
    MPI_Type_commit(&types[i]);
  }
  MPI_Irecv(&table[0][1], 1, types[0], (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&table[0][2], 1, types[1], (rank + 1) % size, 4, MPI_COMM_WORLD, &requests[1]);
  if (rank == 0) other[0][0] = other[1][0] = other[2][0] = 5;
  MPI_Ibcast(other, 1, types[2], 0, MPI_COMM_WORLD, &requests[2]);
  for (int i = 0; i < 3; i++) MPI_Type_free(&types[i]);
  MPI_Datatype another;
  MPI_Type_contiguous(2, MPI_DOUBLE, &another);
  MPI_Start(&requests[1]);
  MPI_Send(column, 3, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
  MPI_Send(column, 3, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Type_free(&another);
  int sum = 0, all;
  for (int i = 0; i < 12; i++) sum += table[i / 4][i % 4] * (i + 1) + other[i / 4][i % 4] * (i + 3);
  MPI_Reduce(&sum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("freed early %d\n", all);
}

static void sizes(void) {
  MPI_Datatype matched, pair;
  MPI_Count bytes, lower, extent;
  MPI_Status status;
  int count, elements, matched_bytes;
  MPI_Type_contiguous(3, MPI_SHORT, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_size_x(pair, &bytes);
  MPI_Type_get_extent_x(pair, &lower, &extent);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &matched);
  MPI_Type_size(matched, &matched_bytes);
  MPI_Status_set_elements(&status, pair, 7);
  MPI_Status_set_cancelled(&status, 0);
  MPI_Get_elements(&status, pair, &elements);
  MPI_Get_count(&status, pair, &count);
  MPI_Type_free(&pair);
  if (rank == 0)
    printf("sizes %ld %ld %ld, %d, %d elements, no number %d\n", (long)bytes, (long)lower, (long)extent, matched_bytes, elements,
           count == MPI_UNDEFINED);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype particle = particle_type();
  all_bounds(particle);
  messages(particle);
  matrix();
  packing();
  freed_early();
  sizes();
  MPI_Type_free(&particle);
  if (rank == 0) printf("freed %d\n", particle == MPI_DATATYPE_NULL);
  MPI_Finalize();
  return 0;
}
