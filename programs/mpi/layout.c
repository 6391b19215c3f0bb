// SPDX-License-Identifier: Apache-2.0
// What datatypes are asked for, and their elements as consecutive bytes.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"

int MPI_Type_size_x(MPI_Datatype type, MPI_Count *bytes) {
  // Without the bytes between a value and its index, or behind it.
  long padding = type == MPI_LONG_DOUBLE_INT ? 12 : type == MPI_DOUBLE_INT || type == MPI_LONG_INT ? 4 : type == MPI_SHORT_INT ? 2 : 0;
  *bytes = mpi_layout(type, SITE).bytes - padding;
  return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype type, int *bytes) {
  MPI_Count found;
  MPI_Type_size_x(type, &found);
  *bytes = found > INT32_MAX ? MPI_UNDEFINED : (int)found;
  return MPI_SUCCESS;
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent) {
  struct layout layout = mpi_layout(type, SITE);
  *lower = layout.lower;
  *extent = mpi_extent(&layout);
  return MPI_SUCCESS;
}

int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent) {
  struct layout layout = mpi_layout(type, SITE);
  *lower = layout.first;
  *extent = layout.last - layout.first;
  return MPI_SUCCESS;
}

int MPI_Type_get_extent_x(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent) { return MPI_Type_get_extent(type, lower, extent); }

int MPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count *lower, MPI_Count *extent) {
  return MPI_Type_get_true_extent(type, lower, extent);
}

int MPI_Type_match_size(int class_, int bytes, MPI_Datatype *type) {
  int is_integer = class_ == MPI_TYPECLASS_INTEGER, is_complex = class_ == MPI_TYPECLASS_COMPLEX;
  switch (is_complex ? bytes / 2 : bytes) {
    case 1: *type = is_integer ? MPI_SIGNED_CHAR : MPI_DATATYPE_NULL; break;
    case 2: *type = is_integer ? MPI_SHORT : MPI_DATATYPE_NULL; break;
    case 4: *type = is_integer ? MPI_INT : is_complex ? MPI_C_FLOAT_COMPLEX : MPI_FLOAT; break;
    case 8: *type = is_integer ? MPI_LONG : is_complex ? MPI_C_DOUBLE_COMPLEX : MPI_DOUBLE; break;
    case 16: *type = is_integer ? MPI_DATATYPE_NULL : is_complex ? MPI_C_LONG_DOUBLE_COMPLEX : MPI_LONG_DOUBLE; break;
    default: *type = MPI_DATATYPE_NULL;
  }
  if (*type == MPI_DATATYPE_NULL) mpi_refuse("MPI_Type_match_size: a size for which there is no datatype of the class", SITE);
  return MPI_SUCCESS;
}

int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent) {
  MPI_Aint lower;
  return MPI_Type_get_extent(type, &lower, extent);
}

int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lower) {
  *lower = mpi_layout(type, SITE).lower;
  return MPI_SUCCESS;
}

int MPI_Type_ub(MPI_Datatype type, MPI_Aint *upper) {
  *upper = mpi_layout(type, SITE).upper;
  return MPI_SUCCESS;
}

void mpi_pack(char *packed, const void *data, long count, const struct layout *layout) {
  for (long i = 0; i < count; i++) {
    const char *element = (const char *)data + i * mpi_extent(layout);
    for (long run = 0; run < layout->num_runs; run++) {
      memcpy(packed, element + layout->runs[run].offset, (size_t)layout->runs[run].bytes);
      packed += layout->runs[run].bytes;
    }
  }
}

void mpi_unpack(void *data, const char *packed, long bytes, const struct layout *layout) {
  for (char *element = data; bytes > 0; element += mpi_extent(layout)) {
    for (long run = 0; run < layout->num_runs && bytes > 0; run++) {
      long length = layout->runs[run].bytes < bytes ? layout->runs[run].bytes : bytes;
      memcpy(element + layout->runs[run].offset, packed, (size_t)length);
      packed += length;
      bytes -= length;
    }
    if (layout->num_runs == 0) return;
  }
}

struct packed mpi_space(long count, MPI_Datatype type, long site) {
  long bytes = count * mpi_layout(type, site).bytes;
  if (bytes < 0) mpi_refuse("a negative count; accepted: 0 and more", site);
  struct packed packed = {malloc((size_t)bytes + 1), bytes};
  if (!packed.data) mpi_refuse("no memory for the elements of a derived datatype", site);
  return packed;
}

struct packed mpi_packed(const void *data, long count, MPI_Datatype type, long site) {
  struct packed packed = mpi_space(count, type, site);
  struct layout layout = mpi_layout(type, site);
  mpi_pack(packed.data, data, count, &layout);
  return packed;
}

void mpi_unpacked(struct packed packed, long bytes, void *data, MPI_Datatype type, long site) {
  struct layout layout = mpi_layout(type, site);
  mpi_unpack(data, packed.data, bytes < packed.bytes ? bytes : packed.bytes, &layout);
  free(packed.data);
}

int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *bytes) {
  (void)comm;
  *bytes = (int)(count * mpi_layout(type, SITE).bytes);
  return MPI_SUCCESS;
}

int MPI_Pack(const void *data, int count, MPI_Datatype type, void *packed, int bytes, int *position, MPI_Comm comm) {
  (void)comm;
  struct layout layout = mpi_layout(type, SITE);
  if (*position + count * layout.bytes > bytes) mpi_refuse("MPI_Pack: more bytes than the buffer has left", SITE);
  mpi_pack((char *)packed + *position, data, count, &layout);
  *position += (int)(count * layout.bytes);
  return MPI_SUCCESS;
}

int MPI_Unpack(const void *packed, int bytes, int *position, void *data, int count, MPI_Datatype type, MPI_Comm comm) {
  (void)comm;
  struct layout layout = mpi_layout(type, SITE);
  if (*position + count * layout.bytes > bytes) mpi_refuse("MPI_Unpack: more bytes than the buffer has left", SITE);
  mpi_unpack(data, (const char *)packed + *position, count * layout.bytes, &layout);
  *position += (int)(count * layout.bytes);
  return MPI_SUCCESS;
}

// Whole elements; with a part of one there is no number.
int mpi_typed_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
  long bytes = mpi_layout(type, SITE).bytes;
  long received = (long)status->count_bytes;
  *count = bytes == 0 ? 0 : received % bytes ? MPI_UNDEFINED : (int)(received / bytes);
  return MPI_SUCCESS;
}

int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count) {
  MPI_Datatype base = mpi_layout(type, SITE).base;
  *count = base == MPI_DATATYPE_NULL ? MPI_UNDEFINED : (long)status->count_bytes / mpi_bytes_of(1, base, SITE);
  return MPI_SUCCESS;
}

int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count) {
  MPI_Count found;
  MPI_Get_elements_x(status, type, &found);
  *count = (int)found;
  return MPI_SUCCESS;
}

int MPI_Status_set_elements_x(MPI_Status *status, MPI_Datatype type, MPI_Count count) {
  MPI_Datatype base = mpi_layout(type, SITE).base;
  status->count_bytes = (unsigned long)mpi_bytes_of(count, base == MPI_DATATYPE_NULL ? MPI_BYTE : base, SITE);
  return MPI_SUCCESS;
}

int MPI_Status_set_elements(MPI_Status *status, MPI_Datatype type, int count) { return MPI_Status_set_elements_x(status, type, count); }
