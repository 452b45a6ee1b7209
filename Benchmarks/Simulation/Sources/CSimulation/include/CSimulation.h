#ifndef CSIMULATION_H
#define CSIMULATION_H
#include <stddef.h>
#include <stdint.h>
// A deterministic scheduler for everything Swift and Dispatch would run elsewhere.
typedef void (*sim_fn)(void *);
void sim_install(void);
void sim_begin(uint64_t seed, int policy);
void sim_end(void);           // drops what is left
int sim_step(void);           // 1 ran something, 0 nothing is left
int64_t sim_now(void);        // simulated ns since the world's beginning
void sim_advance(int64_t ns); // the process was suspended
void sim_after(int64_t ns, sim_fn f, void *ctx);
void sim_soon(sim_fn f, void *ctx);
uint64_t sim_env(uint64_t bound); // the environment's random numbers
uint64_t sim_hash(void);
void sim_note(uint64_t word);
void sim_trace_to(int on); // remembers the trace's words
size_t sim_trace_count(void);
const uint64_t *sim_trace_words(void);
uint64_t sim_steps(void);
void sim_process(uint32_t id); // what is enqueued from now on belongs to it
uint32_t sim_current_process(void);
void sim_kill(uint32_t id); // nothing of it runs again
int sim_alive(uint32_t id);
size_t sim_ready(void);
size_t sim_timers(void);
struct sim_counts {
  uint64_t global, mainq, delay, deadline, blocks, funcs, after, sync, sema, threads, sources,
      randoms, clocks;
};
struct sim_counts *sim_counts(void);
// Each job on a thread of its own, one of which runs at a time; before a lock another may come,
// with this probability in 256.
void sim_set_preemption(int p);
void sim_preempt(void);
uint64_t sim_preemptions(void);
uint64_t sim_contentions(void);
void sim_deterministic_hashing(void);
int32_t sim_planted_fault(void);      // the fault that the library plays, 0 for none
void sim_plant(int32_t number);

// SQLite over a disk in memory
int sim_vfs_register(void);
void sim_disk_reset(uint64_t seed);
void sim_disk_crash(void);         // what wasn't synced is lost, or not, by the seed
void sim_disk_fail_at(int64_t n);  // the n-th write or sync from now fails, and all later ones (-1
                                   // never): the process dies there
void sim_disk_error_at(int64_t n); // the n-th call fails once with an I/O error
int sim_disk_is_dead(void);
void sim_disk_mode(
    int honest_sync); // 0: sync does nothing (a lying disk), for checking the checker
uint64_t sim_disk_ops(void);
uint64_t sim_disk_syncs(void);
#endif
