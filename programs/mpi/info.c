// SPDX-License-Identifier: Apache-2.0
// Info objects: lists of keys and values, which no function of MPI here follows.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

struct pair {
  struct pair *next;
  char *value, key[];
};

// By number: MPI_INFO_ENV, which is empty, then those that were made.
static struct pair **lists;
static int num_lists = 1, most_lists;

static struct pair **list(MPI_Info info, long site) {
  static struct pair *nothing;
  if (info == MPI_INFO_ENV) return &nothing;
  if (info < 0 || info >= num_lists) mpi_refuse("an info object that there is not", site);
  return &lists[info];
}

static struct pair **find(MPI_Info info, const char *key, long site) {
  struct pair **at = list(info, site);
  while (*at && strcmp((*at)->key, key) != 0) at = &(*at)->next;
  return at;
}

int MPI_Info_create(MPI_Info *info) {
  if (num_lists >= most_lists) {
    most_lists = 2 * num_lists;
    struct pair **more = realloc(lists, (size_t)most_lists * sizeof *more);
    if (!more) mpi_refuse("no memory for an info object", SITE);
    lists = more;
  }
  lists[num_lists] = 0;
  *info = num_lists++;
  return MPI_SUCCESS;
}

// Bytes of a text with its end, of which there are no more than so many.
static size_t bytes_of(const char *text, size_t most) { return strnlen(text, most) + 1; }

int MPI_Info_set(MPI_Info info, const char *key, const char *value) {
  struct pair **at = find(info, key, SITE);
  size_t key_bytes = bytes_of(key, MPI_MAX_INFO_KEY), bytes = bytes_of(value, MPI_MAX_INFO_VAL);
  char *copy = malloc(bytes);
  if (copy && !*at) *at = calloc(1, sizeof **at + key_bytes);
  if (!copy || !*at) mpi_refuse("no memory for a value of an info object", SITE);
  memcpy((*at)->key, key, key_bytes - 1);
  memcpy(copy, value, bytes - 1);
  copy[bytes - 1] = 0;
  free((*at)->value);
  (*at)->value = copy;
  return MPI_SUCCESS;
}

int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag) {
  const struct pair *pair = *find(info, key, SITE);
  *flag = pair != 0;
  if (pair) snprintf(value, (size_t)length + 1, "%s", pair->value);
  return MPI_SUCCESS;
}

int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag) {
  const struct pair *pair = *find(info, key, SITE);
  *flag = pair != 0;
  if (pair) *length = (int)strlen(pair->value);
  return MPI_SUCCESS;
}

// `length` is the space for the value, then what it needs; both with the zero at its end.
int MPI_Info_get_string(MPI_Info info, const char *key, int *length, char *value, int *flag) {
  const struct pair *pair = *find(info, key, SITE);
  *flag = pair != 0;
  if (!pair) return MPI_SUCCESS;
  if (*length > 0) snprintf(value, (size_t)*length, "%s", pair->value);
  *length = (int)strlen(pair->value) + 1;
  return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int *count) {
  *count = 0;
  for (const struct pair *pair = *list(info, SITE); pair; pair = pair->next) ++*count;
  return MPI_SUCCESS;
}

int MPI_Info_get_nthkey(MPI_Info info, int index, char *key) {
  const struct pair *pair = *list(info, SITE);
  while (pair && index-- > 0) pair = pair->next;
  if (!pair) mpi_refuse("MPI_Info_get_nthkey: a number that is not below the number of keys", SITE);
  strcpy(key, pair->key);
  return MPI_SUCCESS;
}

int MPI_Info_delete(MPI_Info info, const char *key) {
  struct pair **at = find(info, key, SITE), *pair = *at;
  if (!pair) mpi_refuse("MPI_Info_delete: a key that the object does not have", SITE);
  *at = pair->next;
  free(pair->value);
  free(pair);
  return MPI_SUCCESS;
}

int MPI_Info_dup(MPI_Info info, MPI_Info *made) {
  MPI_Info_create(made);
  for (const struct pair *pair = *list(info, SITE); pair; pair = pair->next) MPI_Info_set(*made, pair->key, pair->value);
  return MPI_SUCCESS;
}

int MPI_Info_free(MPI_Info *info) {
  for (struct pair **first = list(*info, SITE); *first;) MPI_Info_delete(*info, (*first)->key);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  (void)comm;
  (void)info;
  return MPI_SUCCESS;
}

int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info) {
  (void)comm;
  return MPI_Info_create(info);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made) {
  (void)info;
  return MPI_Comm_dup(comm, made);
}
