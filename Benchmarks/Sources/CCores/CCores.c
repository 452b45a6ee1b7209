#define _GNU_SOURCE
#include "CCores.h"

#if defined(__linux__)
#include <sched.h>

unsigned long cores_of_this_thread(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  unsigned long cores = 0;
  for (int core = 0; core < 64; core++) {
    if (CPU_ISSET(core, &set)) cores |= 1ul << core;
  }
  return cores;
}

void cores_confine(int thread, unsigned long cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core = 0; core < 64; core++) {
    if (cores >> core & 1) CPU_SET(core, &set);
  }
  sched_setaffinity(thread, sizeof set, &set);
}
#else
unsigned long cores_of_this_thread(void) { return 0; }

void cores_confine(int thread, unsigned long cores) {}
#endif
