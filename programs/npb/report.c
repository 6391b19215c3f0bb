// SPDX-License-Identifier: Apache-2.0
// What rank 0 prints, a line each:
//   npb begin KERNEL CLASS RANKS
//   npb elapsed UNIT VALUE
//   npb quantity NAME COMPUTED REFERENCE TOLERANCE RELATIVE_ERROR yes|no     (none, and `-`, if there is no reference)
//   npb verified yes|no|none
// or, in place of all: npb refused: KERNEL needs WHAT, found N ranks

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "npb.h"

int npb_rank, npb_ranks;

static int compared, wrong;

void npb_init(void) {
  MPI_Init(0, 0);
  MPI_Comm_rank(MPI_COMM_WORLD, &npb_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &npb_ranks);
}

int npb_refuse(const char *kernel, const char *needs) {
  if (npb_rank == 0) printf("npb refused: %s needs %s, found %d ranks\n", kernel, needs, npb_ranks);
  MPI_Finalize();
  return 2;
}

int npb_is_power_of_two(int number) { return number > 0 && (number & (number - 1)) == 0; }

void npb_begin(const char *kernel) {
  if (npb_rank == 0) printf("npb begin %s %c %d\n", kernel, NPB_CLASS, npb_ranks);
}

void npb_elapsed(uint64_t begin, uint64_t end) {
  double own = (double)(end - begin), longest = own;
  MPI_Reduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  npb_elapsed_longest(longest);
}

void npb_elapsed_longest(double longest) {
  if (npb_rank == 0) printf("npb elapsed %s %.0f\n", NPB_UNIT, longest);
}

static const char *verdict(int is_right) {
  compared++;
  wrong += !is_right;
  return is_right ? "yes" : "no";
}

void npb_quantity(const char *name, double computed, double reference, double tolerance) {
  if (npb_rank != 0) return;
  double error = fabs((computed - reference) / reference);
  printf("npb quantity %s %.13e %.13e %.1e %.1e %s\n", name, computed, reference, tolerance, error,
         verdict(error <= tolerance));
}

void npb_count(const char *name, long computed, long reference) {
  if (npb_rank != 0) return;
  double error = fabs((double)(computed - reference)) / (reference ? fabs((double)reference) : 1);
  printf("npb quantity %s %ld %ld 0 %.1e %s\n", name, computed, reference, error, verdict(computed == reference));
}

void npb_value(const char *name, double computed) {
  if (npb_rank == 0) printf("npb quantity %s %.13e - - - none\n", name, computed);
}

void npb_number(const char *name, long computed) {
  if (npb_rank == 0) printf("npb quantity %s %ld - - - none\n", name, computed);
}

int npb_end(void) {
  if (npb_rank == 0) printf("npb verified %s\n", wrong ? "no" : compared ? "yes" : "none");
  MPI_Finalize();
  return npb_rank == 0 && wrong;
}
