// SPDX-License-Identifier: Apache-2.0
// What the program, its ranks, communicators and datatypes are called; memory and addresses.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attributes.h"
#include "shared.h"

static int copied(const char *from, char *to, int *length) {
  strcpy(to, from);
  *length = (int)strlen(from);
  return MPI_SUCCESS;
}

int MPI_Get_version(int *version, int *subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char *text, int *length) { return copied("NoCCL", text, length); }

int MPI_Get_processor_name(char *name, int *length) {
  gethostname(name, MPI_MAX_PROCESSOR_NAME);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

int MPI_Query_thread(int *provided) {
  *provided = mpi_thread_level;
  return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag) {
  *flag = 1;
  return MPI_SUCCESS;
}

// A receive that is cancelled has this number of bytes.
#define CANCELLED (1UL << 63)

int MPI_Test_cancelled(const MPI_Status *status, int *flag) {
  *flag = status->count_bytes == CANCELLED;
  return MPI_SUCCESS;
}

int MPI_Status_set_cancelled(MPI_Status *status, int flag) {
  if (flag) status->count_bytes = CANCELLED;
  return MPI_SUCCESS;
}

int MPI_Pcontrol(int level, ...) {
  (void)level;
  return MPI_SUCCESS;
}

struct name {
  struct name *next;
  enum owner owner;
  int object;
  char text[MPI_MAX_OBJECT_NAME];
};

static struct name *names;

static struct name *name_of(enum owner owner, int object) {
  struct name *name = names;
  while (name && (name->owner != owner || name->object != object)) name = name->next;
  return name;
}

static int set_name(enum owner owner, int object, const char *text, long site) {
  struct name *name = name_of(owner, object);
  if (!name) {
    name = calloc(1, sizeof *name);
    if (!name) mpi_refuse("no memory for a name", site);
    *name = (struct name){.next = names, .owner = owner, .object = object};
    names = name;
  }
  snprintf(name->text, sizeof name->text, "%s", text);
  return MPI_SUCCESS;
}

int MPI_Comm_set_name(MPI_Comm comm, const char *text) { return set_name(OF_COMM, comm, text, SITE); }

int MPI_Comm_get_name(MPI_Comm comm, char *text, int *length) {
  const struct name *name = name_of(OF_COMM, comm);
  const char *usual = comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : comm == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
  return copied(name ? name->text : usual, text, length);
}

int MPI_Type_set_name(MPI_Datatype type, const char *text) { return set_name(OF_TYPE, type, text, SITE); }

// Types of one representation have one name.
int MPI_Type_get_name(MPI_Datatype type, char *text, int *length) {
#define NAMED(TYPE) [TYPE] = #TYPE
  static const char *const usual[] = {
      NAMED(MPI_BYTE), NAMED(MPI_CHAR), NAMED(MPI_INT), NAMED(MPI_LONG), NAMED(MPI_UNSIGNED), NAMED(MPI_FLOAT), NAMED(MPI_DOUBLE),
      NAMED(MPI_UNSIGNED_LONG), NAMED(MPI_SHORT), NAMED(MPI_UNSIGNED_SHORT), NAMED(MPI_SIGNED_CHAR), NAMED(MPI_UNSIGNED_CHAR),
      NAMED(MPI_C_BOOL), NAMED(MPI_PACKED), NAMED(MPI_LONG_DOUBLE), NAMED(MPI_C_FLOAT_COMPLEX), NAMED(MPI_C_DOUBLE_COMPLEX),
      NAMED(MPI_FLOAT_INT), NAMED(MPI_DOUBLE_INT), NAMED(MPI_LONG_INT), NAMED(MPI_2INT), NAMED(MPI_SHORT_INT),
      NAMED(MPI_LONG_DOUBLE_INT), NAMED(MPI_C_LONG_DOUBLE_COMPLEX),
  };
  const struct name *name = name_of(OF_TYPE, type);
  int is_known = type >= 0 && type < (int)(sizeof usual / sizeof *usual);
  return copied(name ? name->text : is_known ? usual[type] : type == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL" : "", text, length);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag) {
  (void)comm;
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag) {
  static int tag_limit = INT32_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, is_global = 1, ranks, number, last_code = MPI_ERR_LASTCODE;
  int *const values[] = {&tag_limit, &host, &io, &is_global, &ranks, &number, &mpi_last_error ? &mpi_last_error : &last_code};
  if (key >= FIRST_KEY && mpi_attribute_get) return mpi_attribute_get(OF_COMM, comm, key, value, flag);
  *flag = key >= MPI_TAG_UB && key <= MPI_LASTUSEDCODE;
  if (key == MPI_UNIVERSE_SIZE) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (*flag) *(int **)value = values[key];
  return MPI_SUCCESS;
}

int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag) { return MPI_Comm_get_attr(comm, key, value, flag); }

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *block) {
  (void)info;
  void *made = malloc((size_t)bytes);
  if (!made) mpi_refuse("MPI_Alloc_mem: no memory; accepted: fewer bytes, or a larger --program-memory", SITE);
  *(void **)block = made;
  return MPI_SUCCESS;
}

int MPI_Free_mem(void *block) {
  free(block);
  return MPI_SUCCESS;
}

int MPI_Get_address(const void *location, MPI_Aint *address) {
  *address = (MPI_Aint)location;
  return MPI_SUCCESS;
}

int MPI_Address(void *location, MPI_Aint *address) { return MPI_Get_address(location, address); }

MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint displacement) { return base + displacement; }

MPI_Aint MPI_Aint_diff(MPI_Aint first, MPI_Aint second) { return first - second; }
