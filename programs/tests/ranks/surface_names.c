// SPDX-License-Identifier: Apache-2.0
// Names, versions, errors, info, attributes, memory: what each rank finds, counted and printed by rank 0.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int infos(void) {
  MPI_Info info, copy;
  char value[32] = "", key[MPI_MAX_INFO_KEY + 1] = "";
  int flag = 0, count = 0, length = 0, good = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "4");
  MPI_Info_set(info, "access", "sequential");
  MPI_Info_set(info, "cb_nodes", "8");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "access");
  MPI_Info_get(info, "cb_nodes", 31, value, &flag);
  good += flag && strcmp(value, "8") == 0;
  MPI_Info_get(info, "access", 31, value, &flag);
  good += !flag;
  MPI_Info_get_nkeys(copy, &count);
  MPI_Info_get_nthkey(copy, 1, key);
  MPI_Info_get_valuelen(copy, "access", &length, &flag);
  good += count == 2 && strcmp(key, "access") == 0 && flag && length == 10;
  length = sizeof value;
  MPI_Info_get_string(copy, "access", &length, value, &flag);
  good += flag && length == 11 && strcmp(value, "sequential") == 0;
  // A value is replaced by a longer one; many objects take the memory of what they hold.
  MPI_Info_set(copy, "access", "sequential, then random");
  MPI_Info_get(copy, "access", 31, value, &flag);
  good += flag && strcmp(value, "sequential, then random") == 0;
  enum { MANY = 2000 };
  static MPI_Info many[MANY];
  for (int i = 0; i < MANY; i++) {
    MPI_Info_create(&many[i]);
    MPI_Info_set(many[i], "first", "1");
    MPI_Info_set(many[i], "second", "2");
  }
  MPI_Info_get(many[MANY - 1], "second", 31, value, &flag);
  good += flag && value[0] == '2';
  for (int i = 0; i < MANY; i++) MPI_Info_free(&many[i]);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  return good + (info == MPI_INFO_NULL);
}

static int handled;

static void handle(MPI_Comm *comm, int *code, ...) { handled = *comm == MPI_COMM_SELF ? *code : -1; }

// Errors that the program itself has.
static int own_errors(void) {
  char text[MPI_MAX_ERROR_STRING];
  int class_, code, found, length, flag = 0, *last, good = 0;
  MPI_Errhandler handler;
  MPI_Add_error_class(&class_);
  MPI_Add_error_code(class_, &code);
  MPI_Add_error_string(code, "no seats");
  MPI_Error_class(code, &found);
  MPI_Error_string(code, text, &length);
  good += found == class_ && code != class_ && strcmp(text, "no seats") == 0 && length == 8;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
  good += flag && *last >= class_ && *last >= MPI_ERR_LASTCODE;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
  good += handled == code;
  MPI_Errhandler_free(&handler);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  return good;
}

static int errors(void) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0, class_ = -1, good = 0;
  MPI_Errhandler handler;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  good += handler == MPI_ERRORS_RETURN;
  MPI_Errhandler_free(&handler);
  good += handler == MPI_ERRHANDLER_NULL;
  MPI_Error_class(MPI_ERR_TRUNCATE, &class_);
  good += class_ == MPI_ERR_TRUNCATE;
  MPI_Error_string(MPI_ERR_RANK, text, &length);
  good += (int)strlen(text) == length && length > 0;
  return good + own_errors();
}

static int names(int rank, int size) {
  char name[MPI_MAX_PROCESSOR_NAME] = "", other[MPI_MAX_OBJECT_NAME] = "";
  int length = 0, version = 0, subversion = 0, good = 0;
  MPI_Get_processor_name(name, &length);
  good += (int)strlen(name) == length && length > 0;
  MPI_Get_version(&version, &subversion);
  good += version >= 3;
  MPI_Comm_get_name(MPI_COMM_WORLD, other, &length);
  good += strcmp(other, "MPI_COMM_WORLD") == 0;
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  MPI_Comm_set_name(comm, "halves");
  MPI_Comm_get_name(comm, other, &length);
  good += strcmp(other, "halves") == 0 && length == 6;
  MPI_Comm_free(&comm);
  MPI_Type_get_name(MPI_DOUBLE, other, &length);
  good += strcmp(other, "MPI_DOUBLE") == 0;
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  good += parent == MPI_COMM_NULL;
  int *limit, flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  good += flag && *limit >= 32767;
  int provided = -1, is_main = 0;
  MPI_Query_thread(&provided);
  MPI_Is_thread_main(&is_main);
  return good + (is_main && provided == MPI_THREAD_FUNNELED && size > 0);
}

static int memory(void) {
  double *block, local[3];
  MPI_Aint first, second;
  MPI_Alloc_mem(800, MPI_INFO_NULL, &block);
  for (int i = 0; i < 100; i++) block[i] = i;
  int good = block[99] == 99;
  MPI_Free_mem(block);
  MPI_Get_address(&local[0], &first);
  MPI_Get_address(&local[2], &second);
  return good + (MPI_Aint_diff(second, first) == 16) + (MPI_Aint_add(first, 16) == second);
}

int main(int argc, char **argv) {
  int rank, size, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int found[4] = {infos(), errors(), names(rank, size), memory()}, all[4];
  MPI_Reduce(found, all, 4, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  if (rank == 0) printf("infos %d errors %d names %d memory %d\n", all[0], all[1], all[2], all[3]);
  if (rank == 0) printf("time %d\n", MPI_Wtick() > 0 && MPI_Wtime() >= begin);
  MPI_Finalize();
  return 0;
}
