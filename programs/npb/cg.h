// SPDX-License-Identifier: Apache-2.0
// CG's matrix: random, sparse, symmetric; a block of it on each rank.
#ifndef NPB_CG_H
#define NPB_CG_H

// Rows or columns of a block, [first, first + count).
struct cg_range {
  int first, count;
};

struct cg_matrix {
  struct cg_range rows, columns;
  // Row r has elements [starts[r], starts[r + 1]); columns count from the block's first one.
  int *starts, *column_of;
  double *values;
};

// The sum of size^i x_i x_i^T over sparse random vectors x_i of `nonzeros` elements or one more, besides
// 0.1 - shift on the diagonal; the condition number is about 10. Returns 0 if there is no memory.
int cg_make_matrix(struct cg_matrix *matrix, int order, int nonzeros, double shift);

#endif
