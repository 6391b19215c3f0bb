// SPDX-License-Identifier: Apache-2.0
// Collectives of the library and of MPI: random roots, lengths, types and operators.
#include <mpi.h>
#include <nocmsg.h>
#include <string.h>

#include "draw.h"

#define MOST_ELEMENTS 128

static char send[MOST_RANKS * MOST_BLOCK_BYTES], receive[MOST_RANKS * MOST_BLOCK_BYTES], data[MOST_BYTES];
static long elements[MOST_ELEMENTS], result[MOST_ELEMENTS];

// Broadcasts behind each other, without a barrier between them.
void broadcasts(void) {
  int count = 1 + (int)draw(6), is_mpi = (int)draw(2);
  for (int i = 0; i < count; i++) {
    int root = (int)draw(ranks), number = 100 * step + i;
    size_t bytes = draw_bytes(draw(3) ? 64 : 4096);
    memset(data, 0, bytes);
    if (rank == root) fill(data, bytes, root, -1, number);
    if (is_mpi) {
      MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    } else {
      nm_broadcast(root, data, bytes);
    }
    compare(data, bytes, root, -1, number, "broadcast");
    if (draw(2)) delay();
  }
}

static void barrier(int is_mpi) {
  enter();
  if (is_mpi) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    nm_barrier();
  }
  leave();
}

// To rank r go blocks of any length up to the same one, or of the same length.
static void fill_blocks(size_t bytes) {
  for (int to = 0; to < ranks; to++) fill(send + (size_t)to * bytes, bytes, rank, to, step);
  memset(receive, 0, (size_t)ranks * bytes);
}

static void compare_blocks(size_t bytes, const char *what) {
  for (int from = 0; from < ranks; from++) compare(receive + (size_t)from * bytes, bytes, from, rank, step, what);
}

static void exchange(int form) {
  size_t bytes = draw_bytes(MOST_BLOCK_BYTES);
  fill_blocks(bytes);
  if (bytes) enter();
  if (form == 0) nm_all_to_all(send, receive, bytes);
  if (form == 1) nm_all_to_all_rounds(send, receive, bytes);
  if (form == 2) MPI_Alltoall(send, (int)bytes, MPI_BYTE, receive, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
  if (bytes) leave();
  compare_blocks(bytes, form == 1 ? "exchange by rounds" : "exchange");
}

static void sum(void *into_, const void *from_, size_t count) {
  long *into = into_;
  const long *from = from_;
  for (size_t i = 0; i < count; i++) into[i] += from[i];
}

static long element(int from, int at) { return (long)byte_of(from, -2, step, (size_t)at) - 100; }

// An operator on what all ranks give, wrapped to the type's bits by whoever compares.
static long combined(MPI_Op op, int at) {
  long all = element(0, at);
  for (int from = 1; from < ranks; from++) {
    long other = element(from, at);
    if (op == MPI_SUM) all += other;
    if (op == MPI_PROD) all = (long)((unsigned long)all * (unsigned long)other);
    if (op == MPI_MIN && other < all) all = other;
    if (op == MPI_MAX && other > all) all = other;
  }
  return all;
}

static void put(void *elements_, MPI_Datatype type, int at, long value) {
  if (type == MPI_INT) ((int *)elements_)[at] = (int)value;
  if (type == MPI_LONG) ((long *)elements_)[at] = value;
  if (type == MPI_FLOAT) ((float *)elements_)[at] = (float)value;
  if (type == MPI_DOUBLE) ((double *)elements_)[at] = (double)value;
}

static void compare_elements(MPI_Datatype type, MPI_Op op, int count, const char *what) {
  static long expected[MOST_ELEMENTS];
  size_t size = type == MPI_INT || type == MPI_FLOAT ? 4 : 8;
  for (int at = 0; at < count; at++) {
    put(expected, type, at, combined(op, at));
    if (memcmp((char *)expected + (size_t)at * size, (char *)result + (size_t)at * size, size) == 0) continue;
    fault(what, at, ((unsigned char *)result)[(size_t)at * size], ((unsigned char *)expected)[(size_t)at * size]);
    return;
  }
}

static void reduction(int is_mpi, int has_root) {
  static const MPI_Datatype types[] = {MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE};
  MPI_Datatype type = is_mpi ? types[draw(4)] : MPI_LONG;
  // Products of floating-point numbers would be rounded.
  int is_float = type == MPI_FLOAT || type == MPI_DOUBLE;
  static const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};
  MPI_Op op = is_mpi ? ops[draw(is_float ? 3 : 4)] : MPI_SUM;
  int count = (int)draw_bytes(MOST_ELEMENTS), root = (int)draw(ranks), is_in_place = is_mpi && !has_root && draw(2);
  void *from = is_in_place ? result : elements;
  for (int at = 0; at < count; at++) put(from, type, at, element(rank, at));
  if (!is_in_place) memset(result, 0, sizeof result);
  if (!has_root && count) enter();
  if (is_mpi && has_root) MPI_Reduce(from, result, count, type, op, root, MPI_COMM_WORLD);
  if (is_mpi && !has_root) MPI_Allreduce(is_in_place ? MPI_IN_PLACE : from, result, count, type, op, MPI_COMM_WORLD);
  if (!is_mpi && has_root) nm_reduce(root, from, result, (size_t)count, sizeof(long), sum);
  if (!is_mpi && !has_root) nm_all_reduce(from, result, (size_t)count, sizeof(long), sum);
  if (!has_root && count) leave();
  if (!has_root || rank == root) compare_elements(type, op, count, has_root ? "reduce" : "all-reduce");
}

void collective_of_library(void) {
  switch (draw(6)) {
    case 0: barrier(0); break;
    case 1: exchange(0); break;
    case 2: exchange(1); break;
    case 3: reduction(0, 1); break;
    case 4: reduction(0, 0); break;
    default: barrier(0);
  }
}

static int counts[MOST_RANKS], starts[MOST_RANKS];

static void draw_counts(void) {
  for (int r = 0; r < ranks; r++) {
    counts[r] = (int)draw_bytes(MOST_BLOCK_BYTES);
    starts[r] = r * MOST_BLOCK_BYTES;
  }
}

static void blocks_of_root(int is_scatter) {
  int root = (int)draw(ranks);
  draw_counts();
  if (is_scatter) {
    for (int to = 0; to < ranks; to++) fill(send + starts[to], (size_t)counts[to], root, to, step);
    MPI_Scatterv(send, counts, starts, MPI_BYTE, data, counts[rank], MPI_BYTE, root, MPI_COMM_WORLD);
    compare(data, (size_t)counts[rank], root, rank, step, "scatter");
    return;
  }
  fill(data, (size_t)counts[rank], rank, root, step);
  MPI_Gatherv(data, counts[rank], MPI_BYTE, receive, counts, starts, MPI_BYTE, root, MPI_COMM_WORLD);
  for (int from = 0; rank == root && from < ranks; from++)
    compare(receive + starts[from], (size_t)counts[from], from, root, step, "gather");
}

static void all_gather(void) {
  draw_counts();
  fill(data, (size_t)counts[rank], rank, -1, step);
  MPI_Allgatherv(data, counts[rank], MPI_BYTE, receive, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
  for (int from = 0; from < ranks; from++) compare(receive + starts[from], (size_t)counts[from], from, -1, step, "all-gather");
}

// To rank r go as many bytes as sender and receiver together say.
static void exchange_of_any_length(void) {
  static int lengths[MOST_RANKS];
  draw_counts();
  for (int r = 0; r < ranks; r++) lengths[r] = (counts[rank] + counts[r]) % MOST_BLOCK_BYTES;
  for (int to = 0; to < ranks; to++) fill(send + starts[to], (size_t)lengths[to], rank, to, step);
  MPI_Alltoallv(send, lengths, starts, MPI_BYTE, receive, lengths, starts, MPI_BYTE, MPI_COMM_WORLD);
  for (int from = 0; from < ranks; from++)
    compare(receive + starts[from], (size_t)lengths[from], from, rank, step, "exchange of any length");
}

void collective_of_mpi(void) {
  switch (draw(8)) {
    case 0: barrier(1); break;
    case 1: exchange(2); break;
    case 2: exchange_of_any_length(); break;
    case 3: blocks_of_root(0); break;
    case 4: blocks_of_root(1); break;
    case 5: all_gather(); break;
    case 6: reduction(1, 1); break;
    default: reduction(1, 0); break;
  }
}
