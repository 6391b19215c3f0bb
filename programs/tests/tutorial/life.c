// SPDX-License-Identifier: Apache-2.0
// The game of life from a file that rank 0 reads: rows by ranks, halos by persistent requests, the board written and read again.

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16 };

static char board[SIDE][SIDE];

static int read_board(const char *name) {
  FILE *file = fopen(name, "r");
  if (!file) {
    fprintf(stderr, "%s: %s\n", name, strerror(errno));
    return 0;
  }
  char line[SIDE + 3];
  for (int y = 0; y < SIDE && fgets(line, sizeof line, file); y++)
    for (int x = 0; x < SIDE && line[x] && line[x] != '\n'; x++) board[y][x] = line[x] == '#';
  fclose(file);
  return 1;
}

static void step(char (*rows)[SIDE], int count) {
  char next[SIDE][SIDE];
  for (int y = 1; y <= count; y++)
    for (int x = 0; x < SIDE; x++) {
      int around = -rows[y][x];
      for (int v = -1; v <= 1; v++)
        for (int h = -1; h <= 1; h++) around += rows[y + v][(x + h + SIDE) % SIDE];
      next[y - 1][x] = around == 3 || (around == 2 && rows[y][x]);
    }
  memcpy(rows[1], next, (size_t)count * SIDE);
}

static void write_board(const char *name) {
  FILE *file = fopen(name, "w+");
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++) fputc(board[y][x] ? '#' : '.', file);
    fputc('\n', file);
  }
  rewind(file);
  char line[SIDE + 2];
  while (fgets(line, sizeof line, file)) fputs(line, stdout);
  fclose(file);
  remove(name);
}

int main(int argc, char *argv[]) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *steps = argc > 2 ? argv[2] : getenv("STEPS");
  int count = SIDE / size, up = (rank + size - 1) % size, down = (rank + 1) % size;
  if (rank == 0 && !read_board(argc > 1 ? argv[1] : "board.txt")) MPI_Abort(MPI_COMM_WORLD, 2);
  char(*rows)[SIDE] = calloc((size_t)count + 2, SIDE);
  MPI_Request requests[4];
  MPI_Scatter(board, count * SIDE, MPI_CHAR, rows[1], count * SIDE, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Send_init(rows[1], SIDE, MPI_CHAR, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(rows[count], SIDE, MPI_CHAR, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv_init(rows[0], SIDE, MPI_CHAR, up, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Recv_init(rows[count + 1], SIDE, MPI_CHAR, down, 0, MPI_COMM_WORLD, &requests[3]);
  for (int i = steps ? atoi(steps) : 4; i > 0; i--) {
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    step(rows, count);
  }
  for (int i = 0; i < 4; i++) MPI_Request_free(&requests[i]);
  MPI_Gather(rows[1], count * SIDE, MPI_CHAR, board, count * SIDE, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0) write_board("last.txt");
  free(rows);
  MPI_Finalize();
  return 0;
}
