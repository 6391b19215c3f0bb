// SPDX-License-Identifier: Apache-2.0
// Graphs, neighbours in graphs and grids, and attributes.

#include "show.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

// A path: each rank but the ends has two neighbours.
static void path(void) {
  int *index = malloc((size_t)size * sizeof *index), *edges = malloc(2 * (size_t)size * sizeof *edges), count = 0;
  for (int i = 0; i < size; i++) {
    if (i > 0) edges[count++] = i - 1;
    if (i + 1 < size) edges[count++] = i + 1;
    index[i] = count;
  }
  MPI_Comm comm;
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
  int nodes, all_edges, kind, neighbours[2] = {-1, -1}, number, last;
  MPI_Graphdims_get(comm, &nodes, &all_edges);
  MPI_Topo_test(comm, &kind);
  MPI_Graph_neighbors_count(comm, rank, &number);
  MPI_Graph_neighbors(comm, rank, 2, neighbours);
  MPI_Graph_neighbors_count(comm, size - 1, &last);
  int found[7] = {nodes, all_edges, kind == MPI_GRAPH, number, neighbours[0], neighbours[1], last};
  show("path ", found, 7);
  int got[2] = {-1, -1}, sent = 10 * rank;
  MPI_Neighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, comm);
  show("neighbours ", got, 2);
  MPI_Comm_free(&comm);
  free(index);
  free(edges);
}

// Each rank sends to the next two, rank 0 knows all edges.
static void distributed(void) {
  int to[2] = {(rank + 1) % size, (rank + 2) % size}, from[2] = {(rank + size - 1) % size, (rank + size - 2) % size};
  int weights[2] = {1 + rank, 2 + rank}, sent[2] = {100 * rank + 1, 100 * rank + 2}, got[2] = {0, 0};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Request request;
  MPI_Ineighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  show("adjacent ", got, 2);
  int counts[2] = {rank % 3, rank % 3}, places[2] = {0, 0}, in_counts[2], in_places[2] = {0, 3}, all[6] = {0};
  for (int i = 0; i < 2; i++) in_counts[i] = from[i] % 3;
  int sent_twice[2] = {7 * rank, 8 * rank};
  MPI_Neighbor_alltoallv(sent_twice, counts, places, MPI_INT, all, in_counts, in_places, MPI_INT, comm);
  show("lengths ", all, 6);
  MPI_Comm_free(&comm);
  int one = rank, degree = 2, num_in, num_out, is_weighted, in[2], in_weights[2], out[2], out_weights[2];
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &one, &degree, to, weights, MPI_INFO_NULL, 0, &comm);
  MPI_Dist_graph_neighbors_count(comm, &num_in, &num_out, &is_weighted);
  MPI_Dist_graph_neighbors(comm, 2, in, in_weights, 2, out, out_weights);
  // In any order.
  int found[7] = {num_in, num_out, is_weighted, in[0] + in[1], in_weights[0] + in_weights[1], out[0] + out[1], out_weights[0] * out_weights[1]};
  show("distributed ", found, 7);
  MPI_Comm_free(&comm);
}

// A grid of two columns, where both neighbours of a dimension are one rank, and of rows without a neighbour at the ends.
static void grid(void) {
  int dims[2] = {size / 2, 2}, periods[2] = {0, 1}, got[4] = {-1, -1, -1, -1}, sent[4];
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
  for (int i = 0; i < 4; i++) sent[i] = 10 * rank + i;
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, comm);
  show("grid ", got, 4);
  MPI_Comm twin;
  MPI_Comm_dup(comm, &twin);
  int coords[2], topology;
  MPI_Topo_test(twin, &topology);
  MPI_Cart_coords(twin, rank, 2, coords);
  int place[3] = {topology == MPI_CART, coords[0], coords[1]};
  show("twin ", place, 3);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&comm);
}

static int num_copied, num_ended;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *made, int *flag) {
  (void)comm, (void)key;
  num_copied += *(int *)extra;
  *(void **)made = (char *)value + 1;
  *flag = 1;
  return MPI_SUCCESS;
}

static int end(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  num_ended++;
  return MPI_SUCCESS;
}

static void attributes(void) {
  static char values[4];
  int kept, copied, shared, extra = 5, flag[3], *limit;
  void *found = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &kept, 0);
  MPI_Comm_create_keyval(copy, end, &copied, &extra);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &shared, 0);
  MPI_Comm comm, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, kept, &values[0]);
  MPI_Comm_set_attr(comm, copied, &values[1]);
  MPI_Comm_set_attr(comm, shared, &values[3]);
  MPI_Comm_dup(comm, &other);
  MPI_Comm_get_attr(other, kept, &found, &flag[0]);
  MPI_Comm_get_attr(other, shared, &found, &flag[1]);
  int is_shared = found == &values[3];
  MPI_Comm_get_attr(other, copied, &found, &flag[2]);
  int is_next = found == &values[2];
  MPI_Comm_set_attr(comm, copied, &values[0]);
  MPI_Comm_delete_attr(comm, copied);
  MPI_Comm_free(&other);
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &limit, &flag[0]);
  int all[7] = {is_shared, flag[1], is_next, num_copied, num_ended, flag[0], *limit >= 32767};
  show("attributes ", all, 7);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&copied);
  int is_invalid = copied == MPI_KEYVAL_INVALID;
  show("invalid ", &is_invalid, 1);
  MPI_Datatype type, twin;
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &kept, 0);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_set_attr(type, kept, values);
  MPI_Type_dup(type, &twin);
  MPI_Type_get_attr(twin, kept, &found, &flag[0]);
  int is_kept = flag[0] && found == values;
  show("datatype ", &is_kept, 1);
  MPI_Type_free(&type);
  MPI_Type_free(&twin);
}

static int is_refused = 1;

static int refuse(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return is_refused ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int refuse_copy(MPI_Comm comm, int key, void *extra, void *value, void *made, int *flag) {
  (void)comm, (void)key, (void)extra, (void)value, (void)made;
  *flag = 1;
  return MPI_ERR_OTHER;
}

static int last(MPI_Comm comm, int key, void *value, void *extra) {
  (void)key, (void)extra;
  int is_over;
  MPI_Finalized(&is_over);
  if (rank == 0) printf("last %d %d %d\n", comm == MPI_COMM_SELF, *(int *)value, is_over);
  return MPI_SUCCESS;
}

// Functions of attributes that give errors, and one that is called at the end.
static void refusals(void) {
  static int values[2] = {3, 4};
  int key, at_end, flag = 0;
  void *found = 0;
  MPI_Comm comm, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(refuse_copy, refuse, &key, 0);
  MPI_Comm_set_attr(comm, key, &values[0]);
  int is_set = MPI_Comm_set_attr(comm, key, &values[1]) == MPI_SUCCESS, is_deleted = MPI_Comm_delete_attr(comm, key) == MPI_SUCCESS;
  int is_copied = MPI_Comm_dup(comm, &other) == MPI_SUCCESS;
  MPI_Comm_get_attr(comm, key, &found, &flag);
  is_refused = 0;
  int all[5] = {is_set, is_deleted, is_copied, flag && found == &values[0], MPI_Comm_free(&comm) == MPI_SUCCESS};
  show("refusals ", all, 5);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &at_end, 0);
  MPI_Comm_set_attr(MPI_COMM_SELF, at_end, &values[0]);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &at_end, 0);
  MPI_Comm_set_attr(MPI_COMM_SELF, at_end, &values[1]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  path();
  distributed();
  grid();
  attributes();
  refusals();
  MPI_Finalize();
  return 0;
}
