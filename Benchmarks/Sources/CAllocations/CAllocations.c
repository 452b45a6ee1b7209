#include "CAllocations.h"

#ifdef __linux__

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>

// The allocator's functions under the names by which they can still be reached.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static atomic_bool counting;
static atomic_long count;
static atomic_long live;
static atomic_long peak;

static bool is_counting(void) {
  return __builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), false);
}

// The allocator keeps a word before each block.
static long size(void *block) {
  return block ? (long)(malloc_usable_size(block) + sizeof(size_t)) : 0;
}

static void add(void *block) {
  if (!block) return;
  long bytes = size(block);
  long now = atomic_fetch_add(&live, bytes) + bytes;
  long most = atomic_load(&peak);
  atomic_fetch_add(&count, 1);
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
  }
}

void *malloc(size_t bytes) {
  void *block = __libc_malloc(bytes);
  if (is_counting()) add(block);
  return block;
}

void *calloc(size_t number, size_t bytes) {
  void *block = __libc_calloc(number, bytes);
  if (is_counting()) add(block);
  return block;
}

void free(void *block) {
  if (is_counting()) atomic_fetch_sub(&live, size(block));
  __libc_free(block);
}

// As if the new block were always filled while the old one is still there, which is the worst case.
void *realloc(void *block, size_t bytes) {
  if (!is_counting()) return __libc_realloc(block, bytes);
  long before = size(block);
  void *moved = __libc_realloc(block, bytes);
  if (moved || bytes == 0) {
    add(moved);
    atomic_fetch_sub(&live, before);
  }
  return moved;
}

void *memalign(size_t alignment, size_t bytes) {
  void *block = __libc_memalign(alignment, bytes);
  if (is_counting()) add(block);
  return block;
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **block, size_t alignment, size_t bytes) {
  void *made = memalign(alignment, bytes);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

void allocations_begin(void) {
  atomic_store(&count, 0);
  atomic_store(&live, 0);
  atomic_store(&peak, 0);
  atomic_store(&counting, true);
}

allocations allocations_end(void) {
  atomic_store(&counting, false);
  return (allocations){atomic_load(&count), atomic_load(&live), atomic_load(&peak)};
}

void allocations_trim(void) { malloc_trim(0); }

#else

void allocations_begin(void) {}
allocations allocations_end(void) { return (allocations){0, 0, 0}; }
void allocations_trim(void) {}

#endif
