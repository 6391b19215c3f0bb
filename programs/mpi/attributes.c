// SPDX-License-Identifier: Apache-2.0
// Attributes of communicators, datatypes and windows, over calls. A program that makes keys has other functions to copy and to end communicators
// than one without (programs/calls/kinds.ld).

#include "attributes.h"

#include <stdlib.h>

#include "../calls/calls.h"

int mpi_placed_Comm_dup(MPI_Comm comm, MPI_Comm *made) __attribute__((weak));

const char mpi_attributes_mark[1] = {1};

struct key {
  MPI_Comm_copy_attr_function *copy;
  MPI_Comm_delete_attr_function *end;
  void *extra;
};

static struct key *keys;
static int num_keys;

struct attribute {
  struct attribute *next;
  enum owner owner;
  int object, key;
  void *value;
};

static struct attribute *attributes;

static struct key *key_of(int number, long site) {
  int index = number - FIRST_KEY;
  if (index < 0 || index >= num_keys) mpi_refuse("a key of attributes that there is not; accepted: one of MPI_Comm_create_keyval", site);
  return &keys[index];
}

static struct attribute **place_of(enum owner owner, int object, int key) {
  struct attribute **at = &attributes;
  while (*at && ((*at)->owner != owner || (*at)->object != object || (*at)->key != key)) at = &(*at)->next;
  return at;
}

int mpi_attribute_get(enum owner owner, int object, int key, void *value, int *flag) {
  const struct attribute *found = *place_of(owner, object, key);
  *flag = found != 0;
  if (found) *(void **)value = found->value;
  return MPI_SUCCESS;
}

// An attribute whose function gives an error stays.
static int end(struct attribute **at, long site) {
  struct attribute *attribute = *at;
  const struct key *key = key_of(attribute->key, site);
  int error = key->end ? key->end(attribute->object, attribute->key, attribute->value, key->extra) : MPI_SUCCESS;
  if (error) return error;
  at = place_of(attribute->owner, attribute->object, attribute->key);
  *at = attribute->next;
  free(attribute);
  return MPI_SUCCESS;
}

static int set(enum owner owner, int object, int key, void *value, long site) {
  key_of(key, site);
  struct attribute **at = place_of(owner, object, key), *made = malloc(sizeof *made);
  if (!made) mpi_refuse("no memory for an attribute", site);
  int error = *at ? end(at, site) : MPI_SUCCESS;
  if (error) {
    free(made);
    return error;
  }
  *made = (struct attribute){attributes, owner, object, key, value};
  attributes = made;
  return MPI_SUCCESS;
}

static int delete(enum owner owner, int object, int key, long site) {
  struct attribute **at = place_of(owner, object, key);
  if (!*at) mpi_refuse("an attribute that the object does not have", site);
  return end(at, site);
}

int mpi_attributes_end(enum owner owner, int object, long site) {
  int error = MPI_SUCCESS;
  for (struct attribute **at = &attributes; *at && !error;)
    if ((*at)->owner == owner && (*at)->object == object)
      error = end(at, site);
    else
      at = &(*at)->next;
  return error;
}

int mpi_attributes_copy(enum owner owner, int from, int to, long site) {
  // What is set stands at the front, so that it is not met again.
  for (struct attribute *next, *at = attributes; at; at = next) {
    next = at->next;
    if (at->owner != owner || at->object != from) continue;
    const struct key *key = key_of(at->key, site);
    void *value = 0;
    int is_copied = 0;
    int error = key->copy ? key->copy(from, at->key, key->extra, at->value, &value, &is_copied) : MPI_SUCCESS;
    if (error) return error;
    if (is_copied) set(owner, to, at->key, value, site);
  }
  return MPI_SUCCESS;
}

static int create(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *end, int *key, void *extra, long site) {
  struct key *more = realloc(keys, (size_t)(num_keys + 1) * sizeof *more);
  if (!more) mpi_refuse("no memory for a key of attributes", site);
  keys = more;
  keys[num_keys] = (struct key){copy, end, extra};
  *key = FIRST_KEY + num_keys++;
  return MPI_SUCCESS;
}

// Attributes of a key that is freed stay.
static int forget(int *key) {
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

int MPI_Comm_dup_fn(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag) {
  (void)comm, (void)key, (void)extra;
  *(void **)copy = value;
  *flag = 1;
  return MPI_SUCCESS;
}

#define FUNCTIONS(KIND, OWNER)                                                                                         \
  int MPI_##KIND##_create_keyval(MPI_##KIND##_copy_attr_function *copy, MPI_##KIND##_delete_attr_function *end, int *key, void *extra) { \
    return create(copy, end, key, extra, SITE);                                                                        \
  }                                                                                                                    \
  int MPI_##KIND##_free_keyval(int *key) { return forget(key); }                                                       \
  int MPI_##KIND##_set_attr(int object, int key, void *value) { return set(OWNER, object, key, value, SITE); }         \
  int MPI_##KIND##_delete_attr(int object, int key) { return delete(OWNER, object, key, SITE); }

FUNCTIONS(Comm, OF_COMM)
FUNCTIONS(Type, OF_TYPE)
FUNCTIONS(Win, OF_WIN)

int MPI_Type_get_attr(MPI_Datatype type, int key, void *value, int *flag) {
  return mpi_attribute_get(OF_TYPE, type, key, value, flag);
}

int MPI_Keyval_create(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *end, int *key, void *extra) {
  return create(copy, end, key, extra, SITE);
}
int MPI_Keyval_free(int *key) { return forget(key); }
int MPI_Attr_put(MPI_Comm comm, int key, void *value) { return set(OF_COMM, comm, key, value, SITE); }
int MPI_Attr_delete(MPI_Comm comm, int key) { return delete(OF_COMM, comm, key, SITE); }

int mpi_attributed_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
  if (mpi_placed_Comm_dup)
    mpi_placed_Comm_dup(comm, made);
  else
    mpi_plain_Comm_dup(comm, made);
  int error = mpi_attributes_copy(OF_COMM, comm, *made, SITE);
  if (error) mpi_plain_Comm_free(made);
  return error;
}

int mpi_attributed_Comm_free(MPI_Comm *comm) {
  int error = mpi_attributes_end(OF_COMM, *comm, SITE);
  return error ? error : mpi_plain_Comm_free(comm);
}

// Attributes of the rank alone end while MPI goes on.
int mpi_attributed_Finalize(void) {
  mpi_attributes_end(OF_COMM, MPI_COMM_SELF, SITE);
  return mpi_plain_Finalize();
}
