#include "rules/engine/code/parse_memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local size_t taken;

static void* count(void* memory, size_t asked) {
  if (memory == NULL && asked > 0) {
    fprintf(stderr, "no memory for %zu bytes of a syntax tree\n", asked);
    abort();
  }
  taken += malloc_usable_size(memory);
  return memory;
}

void* yard_parse_malloc(size_t size) { return count(malloc(size), size); }

void* yard_parse_calloc(size_t items, size_t size) { return count(calloc(items, size), items * size); }

void* yard_parse_realloc(void* memory, size_t size) {
  taken -= malloc_usable_size(memory);
  return count(realloc(memory, size), size);
}

void yard_parse_free(void* memory) {
  taken -= malloc_usable_size(memory);
  free(memory);
}

size_t yard_parse_bytes(void) { return taken; }
