// SPDX-License-Identifier: Apache-2.0
// Errors and their handlers. No function of MPI gives an error: those that programs hand to a handler are their own.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "shared.h"

// Which handler an object has.
struct handled {
  struct handled *next;
  enum owner owner;
  int object;
  MPI_Errhandler handler;
};

static struct handled *all_handled;
static MPI_Comm_errhandler_function **functions;
static int num_functions;

#define FIRST_FUNCTION (MPI_ERRORS_ABORT + 1)

static MPI_Errhandler *handler_of(enum owner owner, int object) {
  struct handled *found = all_handled;
  while (found && (found->owner != owner || found->object != object)) found = found->next;
  return found ? &found->handler : 0;
}

static int set(enum owner owner, int object, MPI_Errhandler handler, long site) {
  MPI_Errhandler *known = handler_of(owner, object);
  struct handled *made = known ? 0 : malloc(sizeof *made);
  if (known) {
    *known = handler;
    return MPI_SUCCESS;
  }
  if (!made) mpi_refuse("no memory for an error handler", site);
  *made = (struct handled){all_handled, owner, object, handler};
  all_handled = made;
  return MPI_SUCCESS;
}

static MPI_Errhandler get(enum owner owner, int object) {
  const MPI_Errhandler *known = handler_of(owner, object);
  return known ? *known : MPI_ERRORS_ARE_FATAL;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *made) {
  MPI_Comm_errhandler_function **more = realloc(functions, (size_t)(num_functions + 1) * sizeof *more);
  if (!more) mpi_refuse("no memory for an error handler", SITE);
  functions = more;
  functions[num_functions] = function;
  *made = FIRST_FUNCTION + num_functions++;
  return MPI_SUCCESS;
}

int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *made) {
  return MPI_Comm_create_errhandler(function, made);
}

int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *made) {
  return MPI_Comm_create_errhandler(function, made);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) { return set(OF_COMM, comm, handler, SITE); }

int MPI_Win_set_errhandler(MPI_Win window, MPI_Errhandler handler) { return set(OF_WIN, window, handler, SITE); }

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) { return set(OF_COMM, comm, handler, SITE); }

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler) {
  *handler = get(OF_COMM, comm);
  return MPI_SUCCESS;
}

int MPI_Win_get_errhandler(MPI_Win window, MPI_Errhandler *handler) {
  *handler = get(OF_WIN, window);
  return MPI_SUCCESS;
}

int MPI_Errhandler_free(MPI_Errhandler *handler) {
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

// Errors of programs have the numbers behind those of MPI.
struct error {
  int class_;
  char text[MPI_MAX_ERROR_STRING];
};

int mpi_last_error = MPI_ERR_LASTCODE;
static struct error *errors;

static struct error *error_of(int code) {
  return code > MPI_ERR_LASTCODE && code <= mpi_last_error ? &errors[code - MPI_ERR_LASTCODE - 1] : 0;
}

static int add(int class_, int *code, long site) {
  int count = mpi_last_error - MPI_ERR_LASTCODE;
  struct error *more = realloc(errors, (size_t)(count + 1) * sizeof *more);
  if (!more) mpi_refuse("no memory for the code of an error", site);
  errors = more;
  *code = ++mpi_last_error;
  errors[count] = (struct error){.class_ = class_ ? class_ : *code};
  return MPI_SUCCESS;
}

int MPI_Add_error_class(int *class_) { return add(0, class_, SITE); }

int MPI_Add_error_code(int class_, int *code) { return add(class_, code, SITE); }

int MPI_Add_error_string(int code, const char *text) {
  struct error *error = error_of(code);
  if (!error) mpi_refuse("MPI_Add_error_string: a code of MPI; accepted: one of MPI_Add_error_code", SITE);
  snprintf(error->text, sizeof error->text, "%s", text);
  return MPI_SUCCESS;
}

int MPI_Error_class(int code, int *class_) {
  const struct error *error = error_of(code);
  *class_ = error ? error->class_ : code;
  return MPI_SUCCESS;
}

static const char *text_of(int code) {
  static const char *const texts[] = {
      [MPI_SUCCESS] = "No error",           [MPI_ERR_BUFFER] = "Invalid buffer",     [MPI_ERR_COUNT] = "Invalid count",
      [MPI_ERR_TYPE] = "Invalid datatype",  [MPI_ERR_TAG] = "Invalid tag",           [MPI_ERR_COMM] = "Invalid communicator",
      [MPI_ERR_RANK] = "Invalid rank",      [MPI_ERR_ROOT] = "Invalid root",         [MPI_ERR_GROUP] = "Invalid group",
      [MPI_ERR_OP] = "Invalid operator",    [MPI_ERR_TOPOLOGY] = "Invalid topology", [MPI_ERR_DIMS] = "Invalid dimension",
      [MPI_ERR_ARG] = "Invalid argument",   [MPI_ERR_UNKNOWN] = "Unknown error",     [MPI_ERR_TRUNCATE] = "Message truncated",
      [MPI_ERR_OTHER] = "Other error",      [MPI_ERR_INTERN] = "Internal error",     [MPI_ERR_IN_STATUS] = "Error in the status",
      [MPI_ERR_PENDING] = "Pending request", [MPI_ERR_REQUEST] = "Invalid request",
  };
  const struct error *error = error_of(code);
  if (error) return error->text;
  int is_known = code >= 0 && code < (int)(sizeof texts / sizeof *texts) && texts[code];
  return is_known ? texts[code] : "Unknown error";
}

int MPI_Error_string(int code, char *text, int *length) {
  strcpy(text, text_of(code));
  *length = (int)strlen(text);
  return MPI_SUCCESS;
}

static int call_handler(MPI_Errhandler handler, int object, int code, long site) {
  if (handler == MPI_ERRORS_RETURN) return MPI_SUCCESS;
  if (handler < FIRST_FUNCTION) mpi_refuse(text_of(code), site);
  functions[handler - FIRST_FUNCTION](&object, &code);
  return MPI_SUCCESS;
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int code) { return call_handler(get(OF_COMM, comm), comm, code, SITE); }

int MPI_Win_call_errhandler(MPI_Win window, int code) { return call_handler(get(OF_WIN, window), window, code, SITE); }
