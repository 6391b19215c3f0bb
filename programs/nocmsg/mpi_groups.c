// SPDX-License-Identifier: Apache-2.0
// Communicators: groups of ranks with a number that their messages carry. Its members agree on it when they make the communicator: the
// lowest one that none of them uses.

#include <assert.h>
#include <stdlib.h>

#include "mpi_parts.h"
#include "nocmsg.h"

#define IN_NO_GROUP UINT16_MAX

// The rank among all ranks of each member, and the other way round; a group that is freed keeps its number while messages of it wait.
struct members {
  int rank, size, is_freed;
  uint16_t *world, *rank_of;
};

static struct members *groups[MPI_NUMBERS];

static struct members *found(MPI_Comm comm) {
  struct members *members = comm > 0 && comm < MPI_NUMBERS ? groups[comm] : 0;
  if (!members || members->is_freed) mpi_wrong("a communicator that there is not");
  return members;
}

int mpi_size_among(MPI_Comm comm) { return comm == MPI_COMM_SELF ? 1 : found(comm)->size; }

int mpi_own_rank_among(MPI_Comm comm) { return comm == MPI_COMM_SELF ? 0 : found(comm)->rank; }

int mpi_world_rank(MPI_Comm comm, int rank, const char *error) {
  int size;
  MPI_Comm_size(comm, &size);
  if (rank < 0 || rank >= size) mpi_wrong(error);
  if (mpi_is_world(comm)) return rank;
  return comm == MPI_COMM_SELF ? nm_rank() : found(comm)->world[rank];
}

int mpi_rank_among(uint32_t context, int world_rank) {
  MPI_Comm comm = (MPI_Comm)(context >> MPI_NUMBER_SHIFT);
  if (mpi_is_world(comm)) return world_rank;
  // A freed group, too: its receives may still be open.
  return comm == MPI_COMM_SELF ? 0 : groups[comm]->rank_of[world_rank];
}

// What each rank of a communicator says when it is split: the numbers that it does not use as bits.
struct said {
  int colour, key;
  uint64_t free;
};

static uint64_t free_numbers(void) {
  uint64_t free = 0;
  for (int number = 2; number < MPI_NUMBERS; number++) {
    const struct members *members = groups[number];
    int is_free = !members || (members->is_freed && !mpi_is_open(mpi_context(number)));
    if (is_free && number != MPI_COMM_SELF && number != MPI_COMM_NULL) free |= UINT64_C(1) << number;
  }
  return free;
}

static struct members *new_members(void) {
  struct members *members = calloc(1, sizeof *members);
  size_t bytes = sizeof *members->world * (size_t)nm_ranks();
  assert(members && "memory for a communicator");
  members->world = malloc(bytes);
  members->rank_of = malloc(bytes);
  assert(members->world && members->rank_of && "memory for a communicator");
  for (int rank = 0; rank < nm_ranks(); rank++) members->rank_of[rank] = IN_NO_GROUP;
  return members;
}

static void give_back(struct members *members) {
  if (!members) return;
  free(members->world);
  free(members->rank_of);
  free(members);
}

// Those of one colour by key, then by their rank before; `places` is space for as many.
static struct members *sorted(MPI_Comm comm, const struct said *all, int own, int *places) {
  struct members *members = new_members();
  int size;
  MPI_Comm_size(comm, &size);
  for (int rank = 0; rank < size; rank++) {
    if (all[rank].colour != all[own].colour) continue;
    int place = members->size++;
    for (; place > 0 && all[places[place - 1]].key > all[rank].key; place--) places[place] = places[place - 1];
    places[place] = rank;
  }
  for (int rank = 0; rank < members->size; rank++) {
    int world = mpi_world_rank(comm, places[rank], "MPI_Comm_split");
    members->world[rank] = (uint16_t)world;
    members->rank_of[world] = (uint16_t)rank;
  }
  members->rank = members->rank_of[nm_rank()];
  return members;
}

static MPI_Comm numbered(struct members *members, uint64_t unused) {
  if (!unused) mpi_wrong("MPI_Comm_split: more than 60 communicators; accepted: MPI_Comm_free of those that are not needed");
  int number = __builtin_ctzll(unused);
  give_back(groups[number]);
  groups[number] = members;
  return number;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *made) {
  int size, own;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &own);
  struct said said = {colour, key, free_numbers()}, *all = malloc(sizeof *all * (size_t)size);
  int *places = malloc(sizeof *places * (size_t)size);
  assert(all && places && "memory for what the ranks of a communicator say");
  MPI_Allgather(&said, sizeof said, MPI_BYTE, all, sizeof said, MPI_BYTE, comm);
  *made = MPI_COMM_NULL;
  if (colour != MPI_UNDEFINED) {
    uint64_t unused = said.free;
    for (int rank = 0; rank < size; rank++)
      if (all[rank].colour == colour) unused &= all[rank].free;
    *made = numbered(sorted(comm, all, own, places), unused);
  }
  free(places);
  free(all);
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) { return MPI_Comm_split(comm, 0, 0, made); }

int MPI_Comm_free(MPI_Comm *comm) {
  if (mpi_is_world(*comm) || *comm == MPI_COMM_SELF) mpi_wrong("MPI_Comm_free of MPI_COMM_WORLD or MPI_COMM_SELF");
  found(*comm)->is_freed = 1;
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
