// SPDX-License-Identifier: Apache-2.0
// Files in the memory of a rank: those that `noccl run program --file` gives it, and those that it writes. They end with the program; no
// rank sees what another one writes.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

struct file {
  struct file *next;
  char *name, *data;
  size_t bytes, capacity;
};

// What fopen returns: a file of stdio with a position.
struct open_file {
  struct __file_ext stream;
  struct file *file;
  size_t position;
  int is_appending;
};

const struct given_file *__noccl_files = 0;

static struct file *files;

static struct file *new_file(const char *name) {
  struct file *file = calloc(1, sizeof *file);
  if (!file) return 0;
  file->name = strdup(name);
  if (!file->name) {
    free(file);
    return 0;
  }
  file->next = files;
  return files = file;
}

// Once: what was given, without a copy of its data.
static void begin(void) {
  const struct given_file *given = __noccl_files;
  __noccl_files = 0;
  for (; given && given->name; given++) {
    struct file *file = new_file(given->name);
    if (!file) return;
    file->data = (char *)given->data;
    file->bytes = given->bytes;
  }
}

static const char *plain(const char *name) {
  while (name[0] == '.' && name[1] == '/') name += 2;
  return name;
}

static struct file **found(const char *name) {
  begin();
  struct file **at = &files;
  while (*at && strcmp(plain((*at)->name), plain(name)) != 0) at = &(*at)->next;
  return at;
}

static int get(FILE *stream) {
  struct open_file *open = (struct open_file *)stream;
  if (open->position >= open->file->bytes) return _FDEV_EOF;
  return (unsigned char)open->file->data[open->position++];
}

// Space up to an end; given data, of capacity 0, is copied.
static int grow(struct file *file, size_t end) {
  if (end <= file->capacity) return 1;
  size_t capacity = end < 64 ? 128 : 2 * end;
  char *data = malloc(capacity);
  if (!data) {
    errno = ENOSPC;
    return 0;
  }
  if (file->bytes) memcpy(data, file->data, file->bytes);
  if (file->capacity) free(file->data);
  file->data = data;
  file->capacity = capacity;
  return 1;
}

static int put(char character, FILE *stream) {
  struct open_file *open = (struct open_file *)stream;
  struct file *file = open->file;
  if (open->is_appending) open->position = file->bytes;
  if (!grow(file, open->position + 1)) return _FDEV_ERR;
  if (open->position > file->bytes) memset(file->data + file->bytes, 0, open->position - file->bytes);
  file->data[open->position++] = character;
  if (open->position > file->bytes) file->bytes = open->position;
  return (unsigned char)character;
}

static __off_t seek(FILE *stream, __off_t offset, int whence) {
  struct open_file *open = (struct open_file *)stream;
  __off_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (__off_t)open->position : (__off_t)open->file->bytes;
  if (from + offset < 0) {
    errno = EINVAL;
    return -1;
  }
  open->position = (size_t)(from + offset);
  return from + offset;
}

static int close_file(FILE *stream) {
  free(stream);
  return 0;
}

FILE *fopen(const char *name, const char *mode) {
  struct file *file = *found(name);
  int is_written = *mode == 'w' || *mode == 'a' || strchr(mode, '+');
  if (!strchr("rwa", *mode) || !*mode) {
    errno = EINVAL;
    return 0;
  }
  if (!file && *mode == 'r') {
    errno = ENOENT;
    return 0;
  }
  if (!file) file = new_file(name);
  struct open_file *open = file ? malloc(sizeof *open) : 0;
  if (!open) {
    errno = ENOMEM;
    return 0;
  }
  if (*mode == 'w') file->bytes = 0;
  int is_read = *mode == 'r' || strchr(mode, '+');
  uint8_t flags = (uint8_t)((is_read ? __SRD : 0) | (is_written ? __SWR : 0));
  *open = (struct open_file){FDEV_SETUP_EXT(put, get, 0, close_file, seek, 0, flags), file, 0, *mode == 'a'};
  return &open->stream.cfile.file;
}

// An open one stays readable, as on Unix.
int remove(const char *name) {
  struct file **at = found(name);
  if (!*at) {
    errno = ENOENT;
    return -1;
  }
  *at = (*at)->next;
  return 0;
}

int rename(const char *name, const char *other) {
  struct file *file = *found(name);
  char *copy = file ? strdup(other) : 0;
  if (!copy) {
    errno = file ? ENOMEM : ENOENT;
    return -1;
  }
  struct file **replaced = found(other);
  if (*replaced && *replaced != file) *replaced = (*replaced)->next;
  free(file->name);
  file->name = copy;
  return 0;
}

FILE *tmpfile(void) {
  FILE *made = fopen("\001temporary", "w+");
  if (made) remove("\001temporary");
  return made;
}
