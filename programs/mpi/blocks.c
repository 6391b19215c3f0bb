// SPDX-License-Identifier: Apache-2.0
// Blocks of buffers of collectives, and rounds of messages of such blocks.

#include "blocks.h"

#include <stdlib.h>
#include <string.h>

struct blocks mpi_equal_blocks(const void *data, int count, MPI_Datatype type, int num_blocks, long site) {
  return (struct blocks){(char *)data, 0, 0, 0, count, num_blocks, mpi_layout(type, site)};
}

struct blocks mpi_placed_blocks(const void *data, const int *counts, const int *places, MPI_Datatype type, int num_blocks,
                                long site) {
  return (struct blocks){(char *)data, counts, places, 0, 0, num_blocks, mpi_layout(type, site)};
}

struct blocks mpi_typed_blocks(const void *data, const int *counts, const int *places, const MPI_Datatype *types,
                               int num_blocks) {
  return (struct blocks){(char *)data, counts, places, types, 0, num_blocks, {0}};
}

static struct layout layout_of(const struct blocks *of, int block, long site) {
  return of->types ? mpi_layout(of->types[block], site) : of->layout;
}

static long count_of(const struct blocks *of, int block) { return of->counts ? of->counts[block] : of->count; }

static char *at(const struct blocks *of, int block) {
  if (of->types) return of->data + of->places[block];
  long place = of->places ? of->places[block] : (long)block * of->count;
  return of->data + place * mpi_extent(&of->layout);
}

static struct bytes lists_for(const struct blocks *of, long site) {
  int *counts = malloc(2 * (size_t)of->num_blocks * sizeof *counts + 1);
  if (!counts) mpi_refuse("no memory for the blocks of a collective", site);
  for (int i = 0; i < of->num_blocks; i++) counts[i] = (int)(count_of(of, i) * layout_of(of, i, site).bytes);
  return (struct bytes){0, counts, counts + of->num_blocks, 0};
}

struct bytes mpi_bytes_space(const struct blocks *of, long site) {
  struct bytes made = lists_for(of, site);
  long all = 0;
  for (int i = 0; i < of->num_blocks; i++) {
    made.places[i] = (int)all;
    all += made.counts[i];
  }
  made.data = malloc((size_t)all + 1);
  if (!made.data) mpi_refuse("no memory for the blocks of a collective", site);
  made.is_copy = 1;
  return made;
}

struct bytes mpi_bytes_packed(const struct blocks *of, long site) {
  struct bytes made = mpi_bytes_space(of, site);
  for (int i = 0; i < of->num_blocks; i++) {
    struct layout layout = layout_of(of, i, site);
    mpi_pack(made.data + made.places[i], at(of, i), count_of(of, i), &layout);
  }
  return made;
}

static int is_consecutive(const struct blocks *of, int block, long site) {
  struct layout layout = layout_of(of, block, site);
  return layout.num_runs == 1 && layout.runs[0].offset == 0 && layout.bytes == mpi_extent(&layout);
}

struct bytes mpi_bytes_in_place(const struct blocks *of, int is_read, long site) {
  for (int i = 0; i < of->num_blocks; i++)
    if (!is_consecutive(of, i, site)) return is_read ? mpi_bytes_packed(of, site) : mpi_bytes_space(of, site);
  struct bytes made = lists_for(of, site);
  made.data = of->data;
  for (int i = 0; i < of->num_blocks; i++) made.places[i] = (int)(at(of, i) - of->data);
  return made;
}

void mpi_bytes_free(struct bytes bytes) {
  if (bytes.is_copy) free(bytes.data);
  free(bytes.counts);
}

void mpi_bytes_unpack(struct bytes from, const struct blocks *of, long site) {
  for (int i = 0; from.is_copy && i < of->num_blocks; i++) {
    struct layout layout = layout_of(of, i, site);
    mpi_unpack(at(of, i), from.data + from.places[i], from.counts[i], &layout);
  }
  mpi_bytes_free(from);
}

int mpi_round(const struct group *in, struct ends out, struct ends into) {
  int *requests = mpi_space_for((out.count + into.count) * (long)sizeof *requests, in->site), count = 0;
  for (int i = 0; i < into.count; i++) {
    int edge = into.are_pairs ? i ^ 1 : i;
    if (into.ranks[edge] == MPI_PROC_NULL) continue;
    char *place = into.bytes->data + into.bytes->places[edge];
    requests[count++] = mpi_begin_receive(place, into.bytes->counts[edge], into.ranks[edge], INNER_TAG, in->comm, in->site);
  }
  for (int i = 0; i < out.count; i++) {
    int block = out.is_one ? 0 : i;
    if (out.ranks[i] == MPI_PROC_NULL) continue;
    const char *place = out.bytes->data + out.bytes->places[block];
    requests[count++] = mpi_begin_send(place, out.bytes->counts[block], out.ranks[i], INNER_TAG, in->comm, in->site);
  }
  int joined = (int)call(CALL_JOIN, (long)requests, count, 0, 0, 0, 0, in->site);
  free(requests);
  return joined;
}
