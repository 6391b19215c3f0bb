// SPDX-License-Identifier: Apache-2.0
// The heap: first fit over blocks in the order of their addresses; free neighbours are joined.
//
// Knuth, The Art of Computer Programming, volume 1, 2.5. A header of 16 bytes stands before each block, so that what
// is returned is a multiple of 16.

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct header {
  size_t bytes;         // of the block, without the header
  struct header *next;  // of the free blocks, by address
} header;

enum { UNIT = 16, STACK_BYTES = 65536 };

extern char __heap_start[];
static header *first_free;

void __noccl_heap(char *end_of_memory);
void __noccl_heap(char *end_of_memory) {
  if (end_of_memory - __heap_start < STACK_BYTES + 2 * UNIT) return;
  first_free = (header *)__heap_start;
  size_t bytes = (size_t)(end_of_memory - __heap_start) - STACK_BYTES - sizeof(header);
  *first_free = (header){bytes / UNIT * UNIT, 0};
}

static char *end_of(header *block) { return (char *)(block + 1) + block->bytes; }

void *malloc(size_t bytes) {
  if (bytes > SIZE_MAX - UNIT) return 0;
  bytes = bytes == 0 ? UNIT : (bytes + UNIT - 1) / UNIT * UNIT;
  for (header **link = &first_free; *link; link = &(*link)->next) {
    header *block = *link;
    if (block->bytes < bytes) continue;
    if (block->bytes >= bytes + sizeof(header) + UNIT) {
      header *rest = (header *)((char *)(block + 1) + bytes);
      *rest = (header){block->bytes - bytes - sizeof(header), block->next};
      block->bytes = bytes;
      *link = rest;
    } else {
      *link = block->next;
    }
    return block + 1;
  }
  return 0;
}

void free(void *pointer) {
  if (!pointer) return;
  header *block = (header *)pointer - 1, *before = 0, *after = first_free;
  while (after && after < block) {
    before = after;
    after = after->next;
  }
  block->next = after;
  if (after && end_of(block) == (char *)after) {
    block->bytes += sizeof(header) + after->bytes;
    block->next = after->next;
  }
  if (!before) {
    first_free = block;
  } else if (end_of(before) == (char *)block) {
    before->bytes += sizeof(header) + block->bytes;
    before->next = block->next;
  } else {
    before->next = block;
  }
}

void *calloc(size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) return 0;
  void *block = malloc(all);
  return block ? memset(block, 0, all) : 0;
}

void *realloc(void *pointer, size_t bytes) {
  if (!pointer) return malloc(bytes);
  size_t old = ((header *)pointer - 1)->bytes;
  if (bytes <= old) return pointer;
  void *block = malloc(bytes);
  if (!block) return 0;
  memcpy(block, pointer, old);
  free(pointer);
  return block;
}

// Of a block whose origin the compiler does not know: it takes what malloc returns for an object without a header.
static header *header_of(char *block) {
  __asm__("" : "+r"(block));
  return (header *)block - 1;
}

// A block of malloc with more bytes; its first ones become a block of their own, which is freed.
void *memalign(size_t alignment, size_t bytes) {
  if (alignment <= UNIT) return malloc(bytes);
  if (bytes > SIZE_MAX - 2 * alignment - UNIT) return 0;
  char *whole = malloc(bytes + alignment + UNIT + sizeof(header));
  if (!whole) return 0;
  char *aligned = (char *)(((uintptr_t)whole + alignment - 1) / alignment * alignment);
  if (aligned == whole) return whole;
  while (aligned < whole + UNIT + sizeof(header)) aligned += alignment;
  header *first = header_of(whole), *block = header_of(aligned);
  *block = (header){(size_t)(end_of(first) - aligned), 0};
  first->bytes = (size_t)((char *)block - whole);
  free(whole);
  return aligned;
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *found = memalign(alignment, bytes);
  if (!found) return ENOMEM;
  *block = found;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
