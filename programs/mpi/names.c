// SPDX-License-Identifier: Apache-2.0
// What the program, its ranks and communicators are called; errors, of which none returns; memory and addresses.

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

// Nothing can be cancelled.
int MPI_Test_cancelled(const MPI_Status *status, int *flag) {
  (void)status;
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Pcontrol(int level, ...) {
  (void)level;
  return MPI_SUCCESS;
}

struct name {
  struct name *next;
  MPI_Comm comm;
  char text[MPI_MAX_OBJECT_NAME];
};

static struct name *names;

static struct name *name_of(MPI_Comm comm) {
  struct name *name = names;
  while (name && name->comm != comm) name = name->next;
  return name;
}

int MPI_Comm_set_name(MPI_Comm comm, const char *text) {
  struct name *name = name_of(comm);
  if (!name) {
    name = calloc(1, sizeof *name);
    if (!name) mpi_refuse("no memory for the name of a communicator", SITE);
    name->comm = comm;
    name->next = names;
    names = name;
  }
  snprintf(name->text, sizeof name->text, "%s", text);
  return MPI_SUCCESS;
}

int MPI_Comm_get_name(MPI_Comm comm, char *text, int *length) {
  const struct name *name = name_of(comm);
  const char *usual = comm == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : comm == MPI_COMM_SELF ? "MPI_COMM_SELF" : "";
  return copied(name ? name->text : usual, text, length);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag) {
  (void)comm;
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag) {
  static int tag_limit = INT32_MAX, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, is_global = 1;
  int *const values[] = {&tag_limit, &host, &io, &is_global};
  if (key >= FIRST_KEY && mpi_attribute_get) return mpi_attribute_get(OF_COMM, comm, key, value, flag);
  *flag = key >= MPI_TAG_UB && key <= MPI_WTIME_IS_GLOBAL;
  if (*flag) *(int **)value = values[key];
  return MPI_SUCCESS;
}

int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag) { return MPI_Comm_get_attr(comm, key, value, flag); }

static MPI_Errhandler handlers = MPI_ERRORS_ABORT;
static MPI_Errhandler last_set = MPI_ERRORS_ARE_FATAL;

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *made) {
  (void)function;
  *made = ++handlers;
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  (void)comm;
  last_set = handler;
  return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler) {
  (void)comm;
  *handler = last_set;
  return MPI_SUCCESS;
}

int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *made) {
  return MPI_Comm_create_errhandler(function, made);
}

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) { return MPI_Comm_set_errhandler(comm, handler); }

int MPI_Errhandler_free(MPI_Errhandler *handler) {
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int MPI_Error_class(int code, int *class_) {
  *class_ = code;
  return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length) {
  static const char *const texts[] = {
      [MPI_SUCCESS] = "No error",           [MPI_ERR_BUFFER] = "Invalid buffer",     [MPI_ERR_COUNT] = "Invalid count",
      [MPI_ERR_TYPE] = "Invalid datatype",  [MPI_ERR_TAG] = "Invalid tag",           [MPI_ERR_COMM] = "Invalid communicator",
      [MPI_ERR_RANK] = "Invalid rank",      [MPI_ERR_ROOT] = "Invalid root",         [MPI_ERR_GROUP] = "Invalid group",
      [MPI_ERR_OP] = "Invalid operator",    [MPI_ERR_TOPOLOGY] = "Invalid topology", [MPI_ERR_DIMS] = "Invalid dimension",
      [MPI_ERR_ARG] = "Invalid argument",   [MPI_ERR_UNKNOWN] = "Unknown error",     [MPI_ERR_TRUNCATE] = "Message truncated",
      [MPI_ERR_OTHER] = "Other error",      [MPI_ERR_INTERN] = "Internal error",     [MPI_ERR_IN_STATUS] = "Error in the status",
      [MPI_ERR_PENDING] = "Pending request", [MPI_ERR_REQUEST] = "Invalid request",
  };
  int is_known = code >= 0 && code < (int)(sizeof texts / sizeof *texts);
  return copied(is_known ? texts[code] : "Unknown error", text, length);
}

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
