// SPDX-License-Identifier: Apache-2.0
// Windows: fences, locks, groups, accumulates, swaps, derived datatypes and requests.

#include "show.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void fences(void) {
  int memory[6] = {0}, sent[2] = {10 * rank, 10 * rank + 1}, got[3] = {-1, -1, -1};
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Put(sent, 2, MPI_INT, (rank + 1) % size, 2, 2, MPI_INT, window);
  for (int i = 0; i < size; i++) MPI_Accumulate(&rank, 1, MPI_INT, i, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_MAX, window);
  MPI_Put(sent, 1, MPI_INT, MPI_PROC_NULL, 99, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Get(got, 3, MPI_INT, (rank + 2) % size, 1, 3, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  show("fence ", memory, 6);
  show("got ", got, 3);
  MPI_Win_free(&window);
  int is_null = window == MPI_WIN_NULL;
  show("freed ", &is_null, 1);
}

// After a flush the target has many bytes, also if a message overtakes them.
static void bulk(void) {
  enum { MANY = 4096 };
  static int memory[MANY], sent[MANY];
  for (int i = 0; i < MANY; i++) sent[i] = i + rank;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  MPI_Put(sent, MANY, MPI_INT, (rank + 1) % size, 0, MANY, MPI_INT, window);
  MPI_Win_flush((rank + 1) % size, window);
  int sum = 0, token = 0;
  MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % size, 6, &sum, 1, MPI_INT, (rank + size - 1) % size, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_sync(window);
  for (int i = 0; i < MANY; i++) sum += memory[i] % 97;
  MPI_Win_unlock_all(window);
  show("bulk ", &sum, 1);
  MPI_Win_free(&window);
}

// A counter that all ranks increment, alone or with others, and what each has seen.
static void locks(void) {
  int *memory, before, sum = 0, one = 1;
  MPI_Win window;
  MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  memory[0] = 100;
  memory[1] = 0;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; i++) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Get(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    before++;
    MPI_Put(&before, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
  }
  for (int i = 0; i < 2; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, window);
    MPI_Fetch_and_op(&one, &before, MPI_INT, size - 1, 1, MPI_SUM, window);
    MPI_Win_flush_local(size - 1, window);
    sum += before;
    MPI_Win_unlock(size - 1, window);
  }
  int all;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int found[3] = {0, 0, all};
  MPI_Win_lock_all(0, window);
  MPI_Get(&found[0], 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Fetch_and_op(0, &found[1], MPI_INT, size - 1, 1, MPI_NO_OP, window);
  MPI_Win_flush_all(window);
  MPI_Win_unlock_all(window);
  show("lock ", found, 3);
  MPI_Win_free(&window);
}

// The rank whose swap is the first one is the only one that gets the lock of the program.
static void swaps(void) {
  long *memory, mine = rank + 1, free_value = 0, before;
  int turns = 0, order[2] = {0, 0};
  MPI_Win window;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  while (turns < 2) {
    MPI_Compare_and_swap(&mine, &free_value, &before, MPI_LONG, 0, 0, window);
    MPI_Win_flush(0, window);
    if (before != 0) continue;
    MPI_Fetch_and_op(&free_value, &before, MPI_LONG, 0, 0, MPI_REPLACE, window);
    MPI_Win_flush(0, window);
    order[turns++] = before == mine;
  }
  MPI_Win_unlock_all(window);
  show("swap ", order, 2);
  MPI_Win_free(&window);
}

// Each rank lets both neighbours write, and writes to them.
static void groups(void) {
  double memory[2] = {-1, -1}, sent = 1.5 * rank;
  int left = (rank + size - 1) % size, right = (rank + 1) % size, both[2] = {left, right}, flag = 0;
  MPI_Group all, neighbours;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 2, both, &neighbours);
  for (int i = 0; i < 2; i++) {
    MPI_Win_post(neighbours, 0, window);
    MPI_Win_start(neighbours, 0, window);
    MPI_Put(&sent, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, window);
    MPI_Accumulate(&sent, 1, MPI_DOUBLE, left, 1, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_complete(window);
    if (i == 0) MPI_Win_wait(window);
    while (i == 1 && !flag) MPI_Win_test(window, &flag);
  }
  int found[2] = {(int)(2 * memory[0]), (int)(2 * memory[1])};
  show("groups ", found, 2);
  MPI_Group_free(&all);
  MPI_Group_free(&neighbours);
  MPI_Win_free(&window);
}

// A column of a table into a row of another one, and operators on structures of memory.
static void datatypes(void) {
  int table[3][4], column[3] = {7 + rank, 8 + rank, 9 + rank};
  for (int i = 0; i < 12; i++) table[i / 4][i % 4] = i;
  MPI_Datatype type;
  MPI_Type_vector(3, 1, 4, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Win window;
  MPI_Win_create(table, sizeof table, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  int to = (rank + 1) % size, got[4][3] = {{0}};
  MPI_Win_fence(0, window);
  MPI_Put(column, 3, MPI_INT, to, sizeof(int), 1, type, window);
  MPI_Accumulate(column, 3, MPI_INT, to, 2 * sizeof(int), 1, type, MPI_PROD, window);
  MPI_Win_fence(0, window);
  MPI_Datatype spread;
  MPI_Type_vector(3, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Get(got[0], 1, spread, to, 0, 1, type, window);
  MPI_Get_accumulate(column, 3, MPI_INT, got[2], 1, spread, to, 3 * sizeof(int), 1, type, MPI_BXOR, window);
  MPI_Win_fence(0, window);
  show("table ", table[0], 12);
  show("spread ", got[0], 12);
  MPI_Type_free(&type);
  MPI_Type_free(&spread);
  MPI_Win_free(&window);
}

static void requests(void) {
  int memory[4] = {rank, rank + 1, rank + 2, rank + 3}, got[2] = {0, 0}, sent = 50 + rank, added = 3, before = 0;
  int to = (rank + 1) % size;
  MPI_Request all[4];
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, window);
  MPI_Rget(got, 2, MPI_INT, to, 0, 2, MPI_INT, window, &all[0]);
  MPI_Rput(&sent, 1, MPI_INT, to, 2, 1, MPI_INT, window, &all[1]);
  MPI_Raccumulate(&added, 1, MPI_INT, to, 3, 1, MPI_INT, MPI_SUM, window, &all[2]);
  MPI_Rget_accumulate(&added, 1, MPI_INT, &before, 1, MPI_INT, to, 3, 1, MPI_INT, MPI_SUM, window, &all[3]);
  MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
  MPI_Win_unlock(to, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  int found[5] = {got[0], got[1], before, memory[2], memory[3]};
  MPI_Win_unlock(rank, window);
  show("requests ", found, 5);
  MPI_Win_free(&window);
}

static void attributes(void) {
  char memory[24], name[MPI_MAX_OBJECT_NAME];
  void *base;
  MPI_Aint *bytes;
  int *unit, *flavor, *model, flag, length;
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Win_get_attr(window, MPI_WIN_BASE, &base, &flag);
  MPI_Win_get_attr(window, MPI_WIN_SIZE, &bytes, &flag);
  MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &flag);
  MPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
  MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &flag);
  MPI_Win_set_name(window, "alone");
  MPI_Win_get_name(window, name, &length);
  if (rank == 0)
    printf("base %d, %ld bytes, unit %d, created %d, unified %d, %s\n", base == memory, (long)*bytes, *unit,
           *flavor == MPI_WIN_FLAVOR_CREATE, *model == MPI_WIN_UNIFIED, name);
  MPI_Win_free(&window);
}

// What all ranks combine in the memory of rank 0: elements of other types than those that cores compute with.
static void other_types(void) {
  struct pair {
    double value;
    int index;
  };
  struct {
    struct pair best[2];
    float complex_sum[2];
    double complex_product[2];
    short number;
    unsigned char bits;
    _Bool any;
  } memory = {{{-1, 99}, {1000, 99}}, {0, 0}, {1, 0}, 1, 0xff, 0};
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  struct pair own = {rank % 3, rank};
  float added[2] = {1, (float)rank};
  double factor[2] = {0, 1};
  short two = 2;
  unsigned char mask = (unsigned char)~(1 << rank);
  _Bool is_last = rank == size - 1;
#define PLACE(FIELD) ((char *)&memory.FIELD - (char *)&memory)
  MPI_Win_fence(0, window);
  MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, PLACE(best[0]), 1, MPI_DOUBLE_INT, MPI_MAXLOC, window);
  MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, PLACE(best[1]), 1, MPI_DOUBLE_INT, MPI_MINLOC, window);
  MPI_Accumulate(added, 1, MPI_C_FLOAT_COMPLEX, 0, PLACE(complex_sum), 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, window);
  MPI_Accumulate(factor, 1, MPI_C_DOUBLE_COMPLEX, 0, PLACE(complex_product), 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, window);
  MPI_Accumulate(&two, 1, MPI_SHORT, 0, PLACE(number), 1, MPI_SHORT, MPI_PROD, window);
  MPI_Accumulate(&mask, 1, MPI_UNSIGNED_CHAR, 0, PLACE(bits), 1, MPI_UNSIGNED_CHAR, MPI_BAND, window);
  MPI_Accumulate(&is_last, 1, MPI_C_BOOL, 0, PLACE(any), 1, MPI_C_BOOL, MPI_LOR, window);
  MPI_Win_fence(0, window);
  if (rank == 0)
    printf("best %g of %d, %g of %d; sum %g %g, product %g %g; %d %d %d\n", memory.best[0].value, memory.best[0].index,
           memory.best[1].value, memory.best[1].index, memory.complex_sum[0], memory.complex_sum[1], memory.complex_product[0],
           memory.complex_product[1], memory.number, memory.bits, memory.any);
  MPI_Win_free(&window);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  fences();
  bulk();
  locks();
  swaps();
  groups();
  datatypes();
  requests();
  attributes();
  other_types();
  MPI_Finalize();
  return 0;
}
