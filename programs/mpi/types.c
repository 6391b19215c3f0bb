// SPDX-License-Identifier: Apache-2.0
// Constructors of derived datatypes. A datatype is a list of runs; runs that follow each other are joined.

#include "types.h"

#include <stdlib.h>
#include <string.h>

#include "../calls/pairs_of.h"
#include "attributes.h"

const char mpi_typed_mark[1] = {1};

// A datatype that the program has freed stays while the library keeps requests, which may need it.
struct derived {
  struct layout layout;
  int is_freed;
};

static struct derived **all;
static int num_derived, num_freed;

__attribute__((weak)) int mpi_keeps_requests(void);

static long alignment_of(MPI_Datatype type, long bytes) {
  switch (type) {
    case MPI_C_FLOAT_COMPLEX:
    case MPI_FLOAT_INT:
    case MPI_2INT:
    case MPI_SHORT_INT: return 4;
    case MPI_C_DOUBLE_COMPLEX:
    case MPI_DOUBLE_INT:
    case MPI_LONG_INT: return 8;
    case MPI_LONG_DOUBLE_INT:
    case MPI_C_LONG_DOUBLE_COMPLEX: return 16;
    default: return bytes;
  }
}

struct layout mpi_layout(MPI_Datatype type, long site) {
  static struct run whole[FIRST_DERIVED];
  if (mpi_is_derived(type)) {
    int number = type - FIRST_DERIVED;
    if (number >= num_derived || !all[number]) mpi_refuse("a datatype that there is not, or no more", site);
    return all[number]->layout;
  }
  long bytes = mpi_bytes_of(1, type, site);
  whole[type] = (struct run){0, bytes};
  // Behind its index such a pair has a gap.
  long last = type == MPI_DOUBLE_INT || type == MPI_LONG_INT ? 12 : type == MPI_LONG_DOUBLE_INT ? 20 : bytes;
  return (struct layout){bytes, 0, bytes, alignment_of(type, bytes), 0, last, 1, &whole[type], type};
}

long mpi_span_of(long count, MPI_Datatype type, long site) {
  struct layout layout = mpi_layout(type, site);
  return count > 0 ? (count - 1) * mpi_extent(&layout) + layout.last : 0;
}

static void give_back_freed(void) {
  if (num_freed == 0 || (mpi_keeps_requests && mpi_keeps_requests())) return;
  for (int i = 0; i < num_derived; i++) {
    if (!all[i] || !all[i]->is_freed) continue;
    free(all[i]->layout.runs);
    free(all[i]);
    all[i] = 0;
  }
  num_freed = 0;
}

MPI_Datatype mpi_new_type(const struct layout *layout, long site) {
  give_back_freed();
  struct derived **more = realloc(all, (size_t)(num_derived + 1) * sizeof *more), *made = malloc(sizeof *made);
  if (!more || !made) mpi_refuse("no memory for a datatype", site);
  all = more;
  *made = (struct derived){*layout, 0};
  all[num_derived] = made;
  return FIRST_DERIVED + num_derived++;
}

static void append_run(struct layout *made, long offset, long bytes, long *space, long site) {
  struct run *last = made->num_runs ? &made->runs[made->num_runs - 1] : 0;
  if (bytes == 0) return;
  if (last && last->offset + last->bytes == offset) {
    last->bytes += bytes;
  } else {
    if (made->num_runs == *space) {
      *space = *space ? 2 * *space : 4;
      made->runs = realloc(made->runs, (size_t)*space * sizeof *made->runs);
      if (!made->runs) mpi_refuse("no memory for a datatype", site);
    }
    made->runs[made->num_runs++] = (struct run){offset, bytes};
  }
  made->bytes += bytes;
}

// Appends elements of a datatype, one behind the other from a displacement.
static void append(struct layout *made, MPI_Datatype old, long count, long displacement, long *space, long site) {
  struct layout of = mpi_layout(old, site);
  int is_empty = made->bytes == 0 && made->lower == 0 && made->upper == 0;
  if (count <= 0) return;
  for (long i = 0; i < count; i++)
    for (long run = 0; run < of.num_runs; run++)
      append_run(made, displacement + i * mpi_extent(&of) + of.runs[run].offset, of.runs[run].bytes, space, site);
  long length = (count - 1) * mpi_extent(&of);
  long bounds[4] = {displacement + of.lower, displacement + of.upper + length, displacement + of.first,
                    displacement + of.last + length};
  if (is_empty || bounds[0] < made->lower) made->lower = bounds[0];
  if (is_empty || bounds[1] > made->upper) made->upper = bounds[1];
  if (is_empty || bounds[2] < made->first) made->first = bounds[2];
  if (is_empty || bounds[3] > made->last) made->last = bounds[3];
  if (of.base != made->base) made->base = is_empty ? of.base : MPI_DATATYPE_NULL;
  if (of.alignment > made->alignment) made->alignment = of.alignment;
}

// Blocks of elements at displacements in bytes: a list of lengths, or one for all.
static int blocks(int count, const int *lengths, int length, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made,
                  long site) {
  struct layout layout = {0};
  long space = 0;
  for (int i = 0; i < count; i++) append(&layout, old, lengths ? lengths[i] : length, places[i], &space, site);
  *made = mpi_new_type(&layout, site);
  return MPI_SUCCESS;
}

static long extent_of(MPI_Datatype type, long site) {
  struct layout layout = mpi_layout(type, site);
  return mpi_extent(&layout);
}

static MPI_Aint *space_for(int count, long site) {
  MPI_Aint *places = malloc((size_t)count * sizeof *places + 1);
  if (!places) mpi_refuse("no memory for a datatype", site);
  return places;
}

// Displacements in elements as displacements in bytes.
static MPI_Aint *in_bytes(int count, const int *places, MPI_Datatype old, long site) {
  MPI_Aint *found = space_for(count, site);
  for (int i = 0; i < count; i++) found[i] = places[i] * extent_of(old, site);
  return found;
}

static int vector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made, long site) {
  MPI_Aint *places = space_for(count, site);
  for (int i = 0; i < count; i++) places[i] = i * stride;
  blocks(count, 0, length, places, old, made, site);
  free(places);
  return MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *made) { return vector(1, count, 0, old, made, SITE); }

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *made) {
  return vector(count, length, stride * extent_of(old, SITE), old, made, SITE);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made) {
  return vector(count, length, stride, old, made, SITE);
}

int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made) {
  return vector(count, length, stride, old, made, SITE);
}

int MPI_Type_indexed(int count, const int *lengths, const int *places, MPI_Datatype old, MPI_Datatype *made) {
  MPI_Aint *found = in_bytes(count, places, old, SITE);
  blocks(count, lengths, 0, found, old, made, SITE);
  free(found);
  return MPI_SUCCESS;
}

int MPI_Type_create_hindexed(int count, const int *lengths, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made) {
  return blocks(count, lengths, 0, places, old, made, SITE);
}

int MPI_Type_hindexed(int count, int *lengths, MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made) {
  return blocks(count, lengths, 0, places, old, made, SITE);
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *made) {
  return blocks(count, 0, length, places, old, made, SITE);
}

int MPI_Type_create_indexed_block(int count, int length, const int *places, MPI_Datatype old, MPI_Datatype *made) {
  MPI_Aint *found = in_bytes(count, places, old, SITE);
  blocks(count, 0, length, found, old, made, SITE);
  free(found);
  return MPI_SUCCESS;
}

// The upper bound is aligned as C aligns the structure.
int MPI_Type_create_struct(int count, const int *lengths, const MPI_Aint *places, const MPI_Datatype *types,
                           MPI_Datatype *made) {
  struct layout layout = {0};
  long space = 0;
  for (int i = 0; i < count; i++) append(&layout, types[i], lengths[i], places[i], &space, SITE);
  long rest = layout.alignment ? mpi_extent(&layout) % layout.alignment : 0;
  if (rest) layout.upper += layout.alignment - rest;
  *made = mpi_new_type(&layout, SITE);
  return MPI_SUCCESS;
}

int MPI_Type_struct(int count, int *lengths, MPI_Aint *places, MPI_Datatype *types, MPI_Datatype *made) {
  return MPI_Type_create_struct(count, lengths, places, types, made);
}

// A dimension after the other, from the one whose elements are adjacent: parts of it, in the distance of the whole.
int MPI_Type_create_subarray(int count, const int *sizes, const int *parts, const int *starts, int order, MPI_Datatype old,
                             MPI_Datatype *made) {
  long stride = extent_of(old, SITE), from = 0;
  MPI_Datatype type = old;
  for (int i = 0; i < count; i++) {
    int dimension = order == MPI_ORDER_C ? count - 1 - i : i;
    if (parts[dimension] < 1 || starts[dimension] < 0 || starts[dimension] + parts[dimension] > sizes[dimension])
      mpi_refuse("MPI_Type_create_subarray: a part that is empty or outside the array", SITE);
    MPI_Datatype next;
    vector(parts[dimension], 1, stride, type, &next, SITE);
    if (type != old) MPI_Type_free(&type);
    type = next;
    from += starts[dimension] * stride;
    stride *= sizes[dimension];
  }
  MPI_Datatype moved;
  blocks(1, 0, 1, &from, type, &moved, SITE);
  MPI_Type_free(&type);
  MPI_Type_create_resized(moved, 0, stride, made);
  return MPI_Type_free(&moved);
}

static struct layout copied(MPI_Datatype type, long site) {
  struct layout layout = mpi_layout(type, site);
  size_t bytes = (size_t)layout.num_runs * sizeof *layout.runs;
  struct run *runs = malloc(bytes + 1);
  if (!runs) mpi_refuse("no memory for a datatype", site);
  if (bytes) memcpy(runs, layout.runs, bytes);
  layout.runs = runs;
  return layout;
}

int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *made) {
  struct layout layout = copied(old, SITE);
  layout.lower = lower;
  layout.upper = lower + extent;
  *made = mpi_new_type(&layout, SITE);
  return MPI_SUCCESS;
}

int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *made) {
  struct layout layout = copied(old, SITE);
  *made = mpi_new_type(&layout, SITE);
  int error = mpi_attributes_copy ? mpi_attributes_copy(OF_TYPE, old, *made, SITE) : MPI_SUCCESS;
  if (error) MPI_Type_free(made);
  return error;
}

int MPI_Type_commit(MPI_Datatype *type) {
  mpi_layout(*type, SITE);
  return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type) {
  if (!mpi_is_derived(*type)) mpi_refuse("MPI_Type_free of a datatype of MPI; accepted: a derived one", SITE);
  mpi_layout(*type, SITE);
  int error = mpi_attributes_end ? mpi_attributes_end(OF_TYPE, *type, SITE) : MPI_SUCCESS;
  if (error) return error;
  num_freed += !all[*type - FIRST_DERIVED]->is_freed;
  all[*type - FIRST_DERIVED]->is_freed = 1;
  give_back_freed();
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
