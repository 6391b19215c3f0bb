// SPDX-License-Identifier: Apache-2.0
// Graphs of ranks, of which each rank knows its own edges or all edges, and the neighbours of any topology; over calls.

#include <stdlib.h>
#include <string.h>

#include "blocks.h"

// Edges of a rank; of a graph that all ranks know its lists, too.
struct graph {
  struct graph *next;
  MPI_Comm comm;
  int kind, is_weighted, num_in, num_out, num_nodes, num_edges;
  int *in, *out, *in_weights, *out_weights, *index, *edges;
};

static struct graph *graphs;

static struct graph *find(MPI_Comm comm) {
  struct graph *graph = graphs;
  while (graph && graph->comm != comm) graph = graph->next;
  return graph;
}

// cart.c asks.
int mpi_graph_kind(MPI_Comm comm);
int mpi_graph_kind(MPI_Comm comm) {
  const struct graph *graph = find(comm);
  return graph ? graph->kind : MPI_UNDEFINED;
}

static const struct graph *found(MPI_Comm comm, int kind, long site) {
  const struct graph *graph = find(comm);
  if (!graph || graph->kind != kind)
    mpi_refuse(kind == MPI_GRAPH ? "a communicator without a graph; accepted: one of MPI_Graph_create"
                                 : "a communicator without a graph; accepted: one of MPI_Dist_graph_create", site);
  return graph;
}

static int *copied(int count, const int *numbers, long site) {
  int *copy = mpi_space_for(count * (long)sizeof *copy, site);
  if (count > 0) memcpy(copy, numbers, (size_t)count * sizeof *copy);
  return copy;
}

static struct graph *add(MPI_Comm comm, int kind, long site) {
  struct graph *graph = mpi_space_for(sizeof *graph, site);
  *graph = (struct graph){.next = graphs, .comm = comm, .kind = kind};
  return graphs = graph;
}

// cart.c copies topologies. The lists of both are the same.
void mpi_graph_copy(MPI_Comm from, MPI_Comm to, long site);
void mpi_graph_copy(MPI_Comm from, MPI_Comm to, long site) {
  const struct graph *graph = find(from);
  if (!graph) return;
  struct graph *made = add(to, graph->kind, site), *next = made->next;
  *made = *graph;
  made->comm = to;
  made->next = next;
}

static void check_ranks(MPI_Comm comm, int count, const int *ranks, long site) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < count; i++)
    if (ranks[i] < 0 || ranks[i] >= size) mpi_refuse("an edge of a graph to a rank that the communicator does not have", site);
}

int MPI_Graph_create(MPI_Comm comm, int num_nodes, const int *index, const int *edges, int reorder, MPI_Comm *made) {
  (void)reorder;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (num_nodes < 0 || num_nodes > size) mpi_refuse("MPI_Graph_create: more ranks than there are, or a negative number", SITE);
  int num_edges = num_nodes ? index[num_nodes - 1] : 0;
  check_ranks(comm, num_edges, edges, SITE);
  MPI_Comm_split(comm, rank < num_nodes ? 0 : MPI_UNDEFINED, rank, made);
  if (*made == MPI_COMM_NULL) return MPI_SUCCESS;
  struct graph *graph = add(*made, MPI_GRAPH, SITE);
  int first = rank ? index[rank - 1] : 0;
  graph->num_nodes = num_nodes;
  graph->num_edges = num_edges;
  graph->index = copied(num_nodes, index, SITE);
  graph->edges = copied(num_edges, edges, SITE);
  graph->in = graph->out = graph->edges + first;
  graph->num_in = graph->num_out = index[rank] - first;
  return MPI_SUCCESS;
}

int MPI_Graphdims_get(MPI_Comm comm, int *num_nodes, int *num_edges) {
  const struct graph *graph = found(comm, MPI_GRAPH, SITE);
  *num_nodes = graph->num_nodes;
  *num_edges = graph->num_edges;
  return MPI_SUCCESS;
}

static int least(int a, int b) { return a < b ? a : b; }

int MPI_Graph_get(MPI_Comm comm, int most_nodes, int most_edges, int *index, int *edges) {
  const struct graph *graph = found(comm, MPI_GRAPH, SITE);
  memcpy(index, graph->index, (size_t)least(most_nodes, graph->num_nodes) * sizeof *index);
  memcpy(edges, graph->edges, (size_t)least(most_edges, graph->num_edges) * sizeof *edges);
  return MPI_SUCCESS;
}

// The edges of any rank of a graph that all ranks know.
static int edges_of(MPI_Comm comm, int rank, const int **edges, long site) {
  const struct graph *graph = found(comm, MPI_GRAPH, site);
  if (rank < 0 || rank >= graph->num_nodes) mpi_refuse("a rank that the graph does not have", site);
  int first = rank ? graph->index[rank - 1] : 0;
  *edges = graph->edges + first;
  return graph->index[rank] - first;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *count) {
  const int *edges;
  *count = edges_of(comm, rank, &edges, SITE);
  return MPI_SUCCESS;
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int most, int *neighbours) {
  const int *edges;
  int count = edges_of(comm, rank, &edges, SITE);
  memcpy(neighbours, edges, (size_t)least(most, count) * sizeof *edges);
  return MPI_SUCCESS;
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int num_in, const int *in, const int *in_weights, int num_out, const int *out,
                                   const int *out_weights, MPI_Info info, int reorder, MPI_Comm *made) {
  (void)info;
  (void)reorder;
  check_ranks(comm, num_in, in, SITE);
  check_ranks(comm, num_out, out, SITE);
  MPI_Comm_dup(comm, made);
  struct graph *graph = add(*made, MPI_DIST_GRAPH, SITE);
  graph->is_weighted = in_weights != MPI_UNWEIGHTED;
  graph->num_in = num_in;
  graph->num_out = num_out;
  graph->in = copied(num_in, in, SITE);
  graph->out = copied(num_out, out, SITE);
  if (!graph->is_weighted) return MPI_SUCCESS;
  graph->in_weights = copied(num_in, in_weights, SITE);
  graph->out_weights = copied(num_out, out_weights, SITE);
  return MPI_SUCCESS;
}

// An edge that some rank knows.
struct edge {
  int from, to, weight;
};

static struct edge *edges_given(int count, const int *from, const int *degrees, const int *to, const int *weights, int *num_edges,
                                long site) {
  *num_edges = 0;
  for (int i = 0; i < count; i++) *num_edges += degrees[i];
  struct edge *edges = mpi_space_for(*num_edges * (long)sizeof *edges, site);
  for (int i = 0, next = 0; i < count; i++)
    for (int j = 0; j < degrees[i]; j++, next++)
      edges[next] = (struct edge){from[i], to[next], weights == MPI_UNWEIGHTED ? 1 : weights[next]};
  return edges;
}

// Edges of all ranks, in the order of ranks.
static struct edge *edges_of_all(MPI_Comm comm, const struct edge *own, int count, int *num_edges, long site) {
  int size, bytes = count * (int)sizeof *own, all = 0;
  MPI_Comm_size(comm, &size);
  int *counts = mpi_space_for(2 * size * (long)sizeof *counts, site), *places = counts + size;
  MPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, comm);
  for (int i = 0; i < size; i++) {
    places[i] = all;
    all += counts[i];
  }
  struct edge *edges = mpi_space_for(all, site);
  MPI_Allgatherv(own, bytes, MPI_BYTE, edges, counts, places, MPI_BYTE, comm);
  free(counts);
  *num_edges = all / (int)sizeof *edges;
  return edges;
}

// Each rank is told the edges that others know of it.
int MPI_Dist_graph_create(MPI_Comm comm, int count, const int *from, const int *degrees, const int *to, const int *weights,
                          MPI_Info info, int reorder, MPI_Comm *made) {
  (void)info;
  (void)reorder;
  int rank, given, all;
  struct edge *own = edges_given(count, from, degrees, to, weights, &given, SITE);
  check_ranks(comm, count, from, SITE);
  check_ranks(comm, given, to, SITE);
  struct edge *edges = edges_of_all(comm, own, given, &all, SITE);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_dup(comm, made);
  struct graph *graph = add(*made, MPI_DIST_GRAPH, SITE);
  graph->is_weighted = weights != MPI_UNWEIGHTED;
  graph->in = mpi_space_for(4 * all * (long)sizeof(int), SITE);
  graph->out = graph->in + all;
  graph->in_weights = graph->out + all;
  graph->out_weights = graph->in_weights + all;
  for (int i = 0; i < all; i++) {
    if (edges[i].to == rank) {
      graph->in_weights[graph->num_in] = edges[i].weight;
      graph->in[graph->num_in++] = edges[i].from;
    }
    if (edges[i].from == rank) {
      graph->out_weights[graph->num_out] = edges[i].weight;
      graph->out[graph->num_out++] = edges[i].to;
    }
  }
  free(own);
  free(edges);
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int *num_in, int *num_out, int *is_weighted) {
  const struct graph *graph = found(comm, MPI_DIST_GRAPH, SITE);
  *num_in = graph->num_in;
  *num_out = graph->num_out;
  *is_weighted = graph->is_weighted;
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int most_in, int *in, int *in_weights, int most_out, int *out, int *out_weights) {
  const struct graph *graph = found(comm, MPI_DIST_GRAPH, SITE);
  size_t in_bytes = (size_t)least(most_in, graph->num_in) * sizeof *in;
  size_t out_bytes = (size_t)least(most_out, graph->num_out) * sizeof *out;
  if (in_bytes) memcpy(in, graph->in, in_bytes);
  if (out_bytes) memcpy(out, graph->out, out_bytes);
  if (!graph->is_weighted) return MPI_SUCCESS;
  if (in_bytes && in_weights != MPI_UNWEIGHTED) memcpy(in_weights, graph->in_weights, in_bytes);
  if (out_bytes && out_weights != MPI_UNWEIGHTED) memcpy(out_weights, graph->out_weights, out_bytes);
  return MPI_SUCCESS;
}

// In a grid the ranks before and behind in each dimension.
static struct ends grid_ends(MPI_Comm comm, int count, long site) {
  int *ranks = mpi_space_for(2 * count * (long)sizeof *ranks, site);
  for (int i = 0; i < count; i++) MPI_Cart_shift(comm, i, 1, &ranks[2 * i], &ranks[2 * i + 1]);
  return (struct ends){0, ranks, 2 * count, 0, 0};
}

void mpi_neighbours(MPI_Comm comm, struct ends *from, struct ends *to, long site) {
  const struct graph *graph = find(comm);
  if (graph) {
    *from = (struct ends){0, copied(graph->num_in, graph->in, site), graph->num_in, 0, 0};
    *to = (struct ends){0, copied(graph->num_out, graph->out, site), graph->num_out, 0, 0};
    return;
  }
  int kind, count;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_UNDEFINED) mpi_refuse("neighbours of a communicator that has none; accepted: a grid or a graph", site);
  MPI_Cartdim_get(comm, &count);
  *from = grid_ends(comm, count, site);
  *to = grid_ends(comm, count, site);
  // What is sent in a direction arrives from the opposite one.
  from->are_pairs = 1;
}

int MPI_Graph_map(MPI_Comm comm, int nodes, const int *index, const int *edges, int *rank) {
  (void)index, (void)edges;
  MPI_Comm_rank(comm, rank);
  if (*rank >= nodes) *rank = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
