// SPDX-License-Identifier: Apache-2.0
// Groups: lists of ranks among all ranks; and communicators of groups, which are splits.

#include <stdlib.h>

#include "shared.h"

struct group {
  int size, ranks[];
};

// By number; MPI_GROUP_EMPTY is the first one.
static struct group **groups;
static int num_groups;

static struct group *found(MPI_Group group, long site) {
  static struct group nobody;
  if (group == MPI_GROUP_EMPTY) return &nobody;
  if (group < 0 || group >= num_groups || !groups[group]) mpi_refuse("a group that there is not", site);
  return groups[group];
}

// A group without ranks is MPI_GROUP_EMPTY, which programs compare.
static int ended(MPI_Group *made) {
  if (groups[*made]->size) return MPI_SUCCESS;
  MPI_Group_free(made);
  *made = MPI_GROUP_EMPTY;
  return MPI_SUCCESS;
}

// A group with space for so many ranks.
static struct group *new_group(int most, MPI_Group *number, long site) {
  if (num_groups == 0) num_groups = 1;
  struct group **more = realloc(groups, (size_t)(num_groups + 1) * sizeof *more);
  struct group *made = malloc(sizeof *made + (size_t)most * sizeof *made->ranks);
  if (!more || !made) mpi_refuse("no memory for a group", site);
  groups = more;
  groups[num_groups] = made;
  made->size = 0;
  *number = num_groups++;
  return made;
}

// The place of a rank in a group, or MPI_UNDEFINED.
static int place_of(const struct group *group, int rank) {
  for (int i = 0; i < group->size; i++)
    if (group->ranks[i] == rank) return i;
  return MPI_UNDEFINED;
}

static int own_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) {
  int size;
  MPI_Comm_size(comm, &size);
  struct group *made = new_group(size, group, SITE);
  for (int rank = 0; rank < size; rank++) made->ranks[made->size++] = mpi_member(comm, rank, SITE);
  return MPI_SUCCESS;
}

int MPI_Group_size(MPI_Group group, int *size) {
  *size = found(group, SITE)->size;
  return MPI_SUCCESS;
}

int MPI_Group_rank(MPI_Group group, int *rank) {
  *rank = place_of(found(group, SITE), own_rank());
  return MPI_SUCCESS;
}

static int member(const struct group *from, int rank, long site) {
  if (rank < 0 || rank >= from->size) mpi_refuse("a rank that the group does not have", site);
  return from->ranks[rank];
}

static int include(MPI_Group group, int count, const int *ranks, MPI_Group *made, long site) {
  struct group *to = new_group(count, made, site);
  const struct group *from = found(group, site);
  for (int i = 0; i < count; i++) to->ranks[to->size++] = member(from, ranks[i], site);
  return ended(made);
}

static int exclude(MPI_Group group, int count, const int *ranks, MPI_Group *made, long site) {
  const struct group *from = found(group, site);
  struct group *to = new_group(from->size, made, site);
  for (int rank = 0; rank < from->size; rank++) {
    int is_named = 0;
    for (int i = 0; i < count; i++) is_named |= ranks[i] == rank;
    if (!is_named) to->ranks[to->size++] = from->ranks[rank];
  }
  return ended(made);
}

int MPI_Group_incl(MPI_Group group, int count, const int *ranks, MPI_Group *made) {
  return include(group, count, ranks, made, SITE);
}

int MPI_Group_excl(MPI_Group group, int count, const int *ranks, MPI_Group *made) {
  return exclude(group, count, ranks, made, SITE);
}

// The ranks of ranges (first, last, step), and how many they are.
static int *listed(int count, int ranges[][3], int *num_ranks, long site) {
  int most = 0;
  for (int pass = 0;; pass++) {
    int *ranks = pass ? malloc((size_t)most * sizeof *ranks + 1) : 0;
    if (pass && !ranks) mpi_refuse("no memory for the ranks of ranges", site);
    *num_ranks = 0;
    for (int i = 0; i < count; i++) {
      int first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];
      if (step == 0) mpi_refuse("a range with step 0", site);
      for (int rank = first; step > 0 ? rank <= last : rank >= last; rank += step) {
        if (ranks) ranks[*num_ranks] = rank;
        ++*num_ranks;
      }
    }
    most = *num_ranks;
    if (ranks) return ranks;
  }
}

int MPI_Group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group *made) {
  int num_ranks, *ranks = listed(count, ranges, &num_ranks, SITE);
  include(group, num_ranks, ranks, made, SITE);
  free(ranks);
  return MPI_SUCCESS;
}

int MPI_Group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group *made) {
  int num_ranks, *ranks = listed(count, ranges, &num_ranks, SITE);
  exclude(group, num_ranks, ranks, made, SITE);
  free(ranks);
  return MPI_SUCCESS;
}

// The ranks of the first group that are in the second one, or those that are not; then those of the second one that are not in the first.
static int combine(MPI_Group first, MPI_Group second, int is_common, int has_rest, MPI_Group *made, long site) {
  const struct group *a = found(first, site), *b = found(second, site);
  struct group *to = new_group(a->size + b->size, made, site);
  for (int i = 0; i < a->size; i++) {
    int is_in_both = place_of(b, a->ranks[i]) != MPI_UNDEFINED;
    if (has_rest || is_in_both == is_common) to->ranks[to->size++] = a->ranks[i];
  }
  for (int i = 0; has_rest && i < b->size; i++)
    if (place_of(a, b->ranks[i]) == MPI_UNDEFINED) to->ranks[to->size++] = b->ranks[i];
  return ended(made);
}

int MPI_Group_union(MPI_Group first, MPI_Group second, MPI_Group *made) { return combine(first, second, 0, 1, made, SITE); }

int MPI_Group_intersection(MPI_Group first, MPI_Group second, MPI_Group *made) {
  return combine(first, second, 1, 0, made, SITE);
}

int MPI_Group_difference(MPI_Group first, MPI_Group second, MPI_Group *made) { return combine(first, second, 0, 0, made, SITE); }

int MPI_Group_translate_ranks(MPI_Group from, int count, const int *ranks, MPI_Group to, int *places) {
  const struct group *a = found(from, SITE), *b = found(to, SITE);
  for (int i = 0; i < count; i++)
    places[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : place_of(b, member(a, ranks[i], SITE));
  return MPI_SUCCESS;
}

static int compared(const struct group *a, const struct group *b) {
  int result = a->size == b->size ? MPI_IDENT : MPI_UNEQUAL;
  for (int i = 0; i < a->size && result != MPI_UNEQUAL; i++) {
    int place = place_of(b, a->ranks[i]);
    if (place != i) result = place == MPI_UNDEFINED ? MPI_UNEQUAL : MPI_SIMILAR;
  }
  return result;
}

int MPI_Group_compare(MPI_Group first, MPI_Group second, int *result) {
  *result = compared(found(first, SITE), found(second, SITE));
  return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group *group) {
  if (*group != MPI_GROUP_EMPTY) {
    free(found(*group, SITE));
    groups[*group] = 0;
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

// Groups of different ranks that are made at the same time have different first ranks.
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
  const struct group *of = found(group, SITE);
  int place = place_of(of, own_rank());
  if (place == MPI_UNDEFINED) return MPI_Comm_split(comm, MPI_UNDEFINED, 0, made);
  return MPI_Comm_split(comm, of->ranks[0], place, made);
}

// Only the group's ranks call this, and a communicator needs the calls of all.
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made) {
  (void)tag;
  const struct group *of = found(group, SITE);
  int size;
  MPI_Comm_size(comm, &size);
  if (of->size == size) return MPI_Comm_create(comm, group, made);
  if (of->size == 1) return MPI_Comm_dup(MPI_COMM_SELF, made);
  mpi_refuse("MPI_Comm_create_group of some ranks; accepted: all or one, or MPI_Comm_create and MPI_Comm_split, called by all", SITE);
}

int MPI_Comm_compare(MPI_Comm first, MPI_Comm second, int *result) {
  MPI_Group a, b;
  MPI_Comm_group(first, &a);
  MPI_Comm_group(second, &b);
  *result = compared(found(a, SITE), found(b, SITE));
  if (*result == MPI_IDENT && first != second) *result = MPI_CONGRUENT;
  MPI_Group_free(&a);
  MPI_Group_free(&b);
  return MPI_SUCCESS;
}

// Tiles share no memory, so each rank is alone; other types have no communicator.
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
  (void)info;
  return MPI_Comm_split(comm, type == MPI_COMM_TYPE_SHARED ? own_rank() : MPI_UNDEFINED, key, made);
}
