// SPDX-License-Identifier: Apache-2.0
// Groups, communicators made of them, comparisons.

#include <mpi.h>
#include <stdio.h>

static void say(const char *what, int mine) {
  int rank, size, all[64];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%s:", what);
  for (int i = 0; i < size; i++) {
    if (all[i] == MPI_UNDEFINED) printf(" -");
    else printf(" %d", all[i]);
  }
  printf("\n");
}

static int rank_in(MPI_Group group) {
  int rank;
  MPI_Group_rank(group, &rank);
  return rank;
}

static void group_of_ranks(MPI_Group world, int size) {
  MPI_Group even, odd, first, both, common, rest, last;
  int ranks[64], count = 0, ranges[1][3] = {{size - 1, 0, -2}}, half[1][3] = {{0, size / 2, 1}};
  for (int i = 0; i < size; i += 2) ranks[count++] = i;
  MPI_Group_incl(world, count, ranks, &even);
  MPI_Group_excl(world, count, ranks, &odd);
  MPI_Group_range_incl(world, 1, ranges, &last);
  MPI_Group_range_excl(world, 1, half, &first);
  MPI_Group_union(odd, even, &both);
  MPI_Group_intersection(both, first, &common);
  MPI_Group_difference(both, even, &rest);
  say("even", rank_in(even));
  say("odd", rank_in(odd));
  say("every second from the last", rank_in(last));
  say("last half", rank_in(first));
  say("union", rank_in(both));
  say("intersection", rank_in(common));
  say("difference", rank_in(rest));
  int results[4], found[2], wanted[2] = {0, count - 1};
  MPI_Group_compare(world, both, &results[0]);
  MPI_Group_compare(rest, odd, &results[1]);
  MPI_Group_compare(even, odd, &results[2]);
  MPI_Group_translate_ranks(even, 2, wanted, world, found);
  say("compared", results[0] == MPI_SIMILAR && results[1] == MPI_IDENT && results[2] == MPI_UNEQUAL);
  say("translated", found[0] * 100 + found[1]);
  MPI_Group_translate_ranks(odd, 1, wanted, even, found);
  say("not there", found[0]);
  MPI_Group nobody[2];
  MPI_Group_difference(even, both, &nobody[0]);
  MPI_Group_incl(world, 0, ranks, &nobody[1]);
  say("nobody", nobody[0] == MPI_GROUP_EMPTY && nobody[1] == MPI_GROUP_EMPTY);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, last, &comm);
  int sum = -1, own;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  if (comm != MPI_COMM_NULL) {
    MPI_Scan(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
  }
  say("scan in the group", sum);
  MPI_Comm_create_group(MPI_COMM_WORLD, both, 0, &comm);
  MPI_Comm_rank(comm, &own);
  say("all of them", own);
  MPI_Comm_free(&comm);
  MPI_Group_free(&even);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int size, rank, result;
  MPI_Group world;
  MPI_Comm copy, turned, alone;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  group_of_ranks(world, size);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  say("a copy", result == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  say("itself", result == MPI_IDENT);
  MPI_Comm_compare(MPI_COMM_WORLD, turned, &result);
  say("in another order", result == MPI_SIMILAR);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
  say("one rank", result == MPI_UNEQUAL);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &alone);
  say("no type", alone == MPI_COMM_NULL);
  MPI_Finalize();
  return 0;
}
