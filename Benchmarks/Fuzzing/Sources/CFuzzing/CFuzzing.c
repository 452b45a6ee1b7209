#include "CFuzzing.h"

#include <time.h>

// What the sanitizer's runtime offers (sanitizer/allocator_interface.h).
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t),
                                              void (*freed)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static _Thread_local long live, peak;

static void allocated(const volatile void *memory, size_t size) {
  (void)memory;
  live += (long)size;
  if (live > peak) peak = live;
}

static void freed(const volatile void *memory) {
  if (memory) live -= (long)__sanitizer_get_allocated_size(memory);
}

void memory_begin(void) {
  static int installed;
  if (!installed) installed = __sanitizer_install_malloc_and_free_hooks(allocated, freed);
  live = peak = 0;
}

long memory_peak(void) { return peak; }

long long thread_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}
