// SPDX-License-Identifier: Apache-2.0
// MPI over calls: the beginning and the end, time, communicators.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "noccl.h"

// By this symbol `noccl run` knows a program of calls; the linker keeps it.
const char __noccl_calls[1] = {1};

// Communicators behind that of all ranks have numbers above all constants of the header.
#define FIRST_COMM 64

static int state;
enum { BEFORE, INSIDE, AFTER };

_Noreturn void mpi_refuse(const char *text, long site) {
  call(CALL_FAIL, (long)text, (long)strlen(text), 0, 0, 0, 0, site);
  abort();
}

long mpi_comm_number(MPI_Comm comm, long site) {
  if (comm == MPI_COMM_WORLD) return 0;
  if (comm == MPI_COMM_SELF) return call(CALL_ALONE, 0, 0, 0, 0, 0, 0, site);
  return comm < FIRST_COMM ? -1 : comm - FIRST_COMM;
}

long mpi_comm_members(long comm, long site) { return call(CALL_MEMBERS, comm, 0, 0, 0, 0, 0, site); }

long mpi_comm_rank(long comm, long site) { return mpi_comm_members(comm, site) & 0xffffffff; }
long mpi_comm_size(long comm, long site) { return mpi_comm_members(comm, site) >> 32; }

int MPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  state = INSIDE;
  return MPI_SUCCESS;
}

int mpi_thread_level;

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  *provided = mpi_thread_level = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
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
  mpi_refuse(text, SITE);
}

uint64_t __noccl_hertz(void);
uint64_t __noccl_hertz(void) { return (uint64_t)call(CALL_CLOCK, 0, 0, 0, 0, 0, 0, SITE); }

double MPI_Wtick(void) { return 1.0 / (double)call(CALL_CLOCK, 0, 0, 0, 0, 0, 0, SITE); }

double MPI_Wtime(void) { return (double)noccl_cycle() / (double)call(CALL_CLOCK, 0, 0, 0, 0, 0, 0, SITE); }

int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  *rank = (int)mpi_comm_rank(mpi_comm_number(comm, SITE), SITE);
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *size) {
  *size = (int)mpi_comm_size(mpi_comm_number(comm, SITE), SITE);
  return MPI_SUCCESS;
}

static int split(MPI_Comm comm, long colour, long key, MPI_Comm *made, long site) {
  long number = call(CALL_SPLIT, mpi_comm_number(comm, site), colour < 0 ? -1 : colour, key, 0, 0, 0, site);
  *made = number < 0 ? MPI_COMM_NULL : (MPI_Comm)number + FIRST_COMM;
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made) { return split(comm, colour, key, made, SITE); }

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  return split(comm, 0, mpi_comm_rank(mpi_comm_number(comm, SITE), SITE), made, SITE);
}

int MPI_Comm_free(MPI_Comm *comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
