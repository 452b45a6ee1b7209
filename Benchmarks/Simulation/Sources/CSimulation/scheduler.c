#define _GNU_SOURCE
#include "include/CSimulation.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SWIFTCC __attribute__((swiftcall))
typedef struct {
  void *identity;
  uintptr_t impl;
} ExecutorRef;
extern SWIFTCC void swift_job_run(void *job, ExecutorRef executor);
extern SWIFTCC ExecutorRef swift_task_getMainExecutor(void);
typedef SWIFTCC void (*orig1)(void *);
extern SWIFTCC void (*swift_task_enqueueGlobal_hook)(void *job, void *original);
extern SWIFTCC void (*swift_task_enqueueGlobalWithDelay_hook)(unsigned long long delay, void *job,
                                                              void *original);
extern SWIFTCC void (*swift_task_enqueueGlobalWithDeadline_hook)(long long sec, long long nsec,
                                                                 long long tsec, long long tnsec,
                                                                 int clock, void *job,
                                                                 void *original);
extern SWIFTCC void (*swift_task_enqueueMainExecutor_hook)(void *job, void *original);
extern void *_Block_copy(const void *);
extern void _Block_release(const void *);

enum kind { JOB, MAINJOB, BLOCK, FUNC };
typedef struct {
  int kind;
  uint32_t process;
  void *p, *ctx;
} item;
typedef struct {
  uintptr_t key;
  item *q;
  size_t head, count, cap;
} lane;
typedef struct {
  int isLane;
  item it;
  lane *ln;
} entry;
typedef struct {
  int64_t at;
  uint64_t tie;
  uintptr_t lane;
  item it;
} timer;

static struct sim_counts counts;
static int active, policy;
static pthread_t owner;
static uint64_t schedS[2], envS[2], rndS[2], hash, steps;
static uint64_t worldSeed;
static int64_t now_;
static int64_t epoch;
static entry *ready;
static size_t nready, capready;
static timer *heap;
static size_t nheap, capheap;
static uint64_t seq;
static uint32_t process;
static unsigned char dead[4096];
static int tracing;
static uint64_t *tracew;
static size_t ntrace, captrace;

static uint64_t splitmix(uint64_t *x) {
  uint64_t z = (*x += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
static uint64_t next(uint64_t s[2]) {
  return splitmix(&s[0]);
}
static uint64_t below(uint64_t s[2], uint64_t n) {
  return n ? (uint64_t)(((__uint128_t)next(s) * n) >> 64) : 0;
}

struct sim_counts *sim_counts(void) {
  return &counts;
}
typedef struct worker {
  pthread_t t;
  sem_t sem;
  int state;
  item it;
  uint32_t process;
} worker; // 0 idle, 1 running, 2 paused, 3 waits for a lock
static worker *workers[256];
static int nworkers;
static sem_t schedSem;
static __thread worker *me;
static int preempt;
static uint64_t preemptions, contentions;
uint64_t sim_preemptions(void) {
  return preemptions;
}
uint64_t sim_contentions(void) {
  return contentions;
}
static int here(void) {
  return active && (me || pthread_equal(pthread_self(), owner));
}
void sim_note(uint64_t w) {
  hash = (hash ^ w) * 0x100000001B3ull;
  hash ^= hash >> 29;
  if (tracing) {
    if (ntrace == captrace) {
      captrace = captrace ? captrace * 2 : 1024;
      tracew = realloc(tracew, captrace * 8);
    }
    tracew[ntrace++] = w;
  }
}
void sim_trace_to(int on) {
  tracing = on;
  ntrace = 0;
}
size_t sim_trace_count(void) {
  return ntrace;
}
const uint64_t *sim_trace_words(void) {
  return tracew;
}
uint64_t sim_hash(void) {
  return hash;
}
uint64_t sim_steps(void) {
  return steps;
}
int64_t sim_now(void) {
  return now_;
}
size_t sim_ready(void) {
  return nready;
}
size_t sim_timers(void) {
  return nheap;
}
void sim_advance(int64_t ns) {
  now_ += ns;
}
uint64_t sim_env(uint64_t bound) {
  return below(envS, bound);
}
void sim_process(uint32_t id) {
  process = id;
}
uint32_t sim_current_process(void) {
  return process;
}
int sim_alive(uint32_t id) {
  return !dead[id & 4095];
}
void sim_kill(uint32_t id) {
  dead[id & 4095] = 1;
}

// Whenever nothing is left to do until a time, what is drawn from then on depends on that time and
// the seed alone. So what happens then stays the same if something before is left out.
static void reseed(void) {
  uint64_t x = worldSeed + (uint64_t)now_ * 0x9E3779B97F4A7C15ull;
  schedS[0] = splitmix(&x);
  envS[0] = splitmix(&x);
  rndS[0] = splitmix(&x);
}

static entry *pushEntry(void) {
  if (nready == capready) {
    capready = capready ? capready * 2 : 256;
    ready = realloc(ready, capready * sizeof *ready);
  }
  return &ready[nready++];
}
static void enqueue(uintptr_t key, item it) {
  if (!key) {
    entry *e = pushEntry();
    e->isLane = 0;
    e->it = it;
    return;
  }
  lane *l = NULL;
  for (size_t i = 0; i < nready; i++)
    if (ready[i].isLane && ready[i].ln->key == key) {
      l = ready[i].ln;
      break;
    }
  if (!l) {
    l = calloc(1, sizeof *l);
    l->key = key;
    entry *e = pushEntry();
    e->isLane = 1;
    e->ln = l;
  }
  if (l->count == l->cap) {
    size_t c = l->cap ? l->cap * 2 : 8;
    item *q = malloc(c * sizeof *q);
    for (size_t i = 0; i < l->count; i++)
      q[i] = l->q[(l->head + i) % l->cap];
    free(l->q);
    l->q = q;
    l->cap = c;
    l->head = 0;
  }
  l->q[(l->head + l->count++) % l->cap] = it;
}
static int earlier(const timer *a, const timer *b) {
  return a->at != b->at ? a->at < b->at : a->tie < b->tie;
}
static void addTimer(int64_t at, uintptr_t key, item it) {
  if (nheap == capheap) {
    capheap = capheap ? capheap * 2 : 256;
    heap = realloc(heap, capheap * sizeof *heap);
  }
  size_t i = nheap++;
  timer t = {at, seq++, key, it};
  while (i && earlier(&t, &heap[(i - 1) / 2])) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = t;
}
static timer popTimer(void) {
  timer top = heap[0], t = heap[--nheap];
  size_t i = 0;
  while (1) {
    size_t c = 2 * i + 1;
    if (c >= nheap)
      break;
    if (c + 1 < nheap && earlier(&heap[c + 1], &heap[c]))
      c++;
    if (!earlier(&heap[c], &t))
      break;
    heap[i] = heap[c];
    i = c;
  }
  if (nheap)
    heap[i] = t;
  return top;
}
void sim_after(int64_t ns, sim_fn f, void *ctx) {
  addTimer(now_ + (ns > 0 ? ns : 0), 0, (item){FUNC, process, (void *)f, ctx});
}
void sim_soon(sim_fn f, void *ctx) {
  enqueue(0, (item){FUNC, process, (void *)f, ctx});
}

static void execute(item it) {
  process = it.process;
  switch (it.kind) {
  case JOB:
    swift_job_run(it.p, (ExecutorRef){0, 0});
    break;
  case MAINJOB:
    swift_job_run(it.p, swift_task_getMainExecutor());
    break;
  case BLOCK:
    ((void (*)(void *))(((void **)it.p)[2]))(it.p);
    _Block_release(it.p);
    break;
  case FUNC:
    ((sim_fn)it.p)(it.ctx);
    break;
  }
  process = 0;
}

static void *workerMain(void *p) {
  me = p;
  while (1) {
    while (sem_wait(&me->sem)) {
    }
    execute(me->it);
    me->state = 0;
    sem_post(&schedSem);
  }
  return 0;
}
static void hand(worker *w) {
  w->state = 1;
  process = w->process;
  sem_post(&w->sem);
  while (sem_wait(&schedSem)) {
  }
  process = 0;
}
static int realCreate(pthread_t *t, void *(*f)(void *), void *c);
static void runItem(item it) {
  if (!preempt) {
    execute(it);
    return;
  }
  worker *w = 0;
  for (int i = 0; i < nworkers; i++)
    if (workers[i]->state == 0) {
      w = workers[i];
      break;
    }
  if (!w) {
    if (nworkers == 256)
      abort();
    w = calloc(1, sizeof *w);
    sem_init(&w->sem, 0, 0);
    workers[nworkers++] = w;
    realCreate(&w->t, workerMain, w);
  }
  w->it = it;
  w->process = it.process;
  hand(w);
}
static void yield_(int state) {
  me->state = state;
  me->process = process;
  sem_post(&schedSem);
  while (sem_wait(&me->sem)) {
  }
  process = me->process;
}
void sim_preempt(void) {
  if (!active || !me || !preempt || below(schedS, 256) >= (uint64_t)preempt)
    return;
  preemptions++;
  yield_(2);
}
void sim_set_preemption(int p) {
  preempt = p;
  if (p && !nworkers)
    sem_init(&schedSem, 0, 0);
}
static int nPaused(void) {
  int n = 0;
  for (int i = 0; i < nworkers; i++)
    if (workers[i]->state >= 2)
      n++;
  return n;
}
int sim_step(void) {
  if (preempt) {
    int n = nPaused();
    if (n && (!nready || n > 200 || (next(schedS) & 1))) {
      int k = (int)below(schedS, n);
      worker *w = 0;
      for (int i = 0; i < nworkers; i++)
        if (workers[i]->state >= 2 && k-- == 0) {
          w = workers[i];
          break;
        }
      steps++;
      now_ += 50 + (int64_t)below(schedS, 2000);
      sim_note(7ull << 56 | (uint64_t)n << 32 | (now_ & 0xffff));
      hand(w);
      return 1;
    }
  }
again:
  // what is due becomes ready; with nothing ready the clock jumps
  while (nheap && heap[0].at <= now_) {
    timer t = popTimer();
    if (!dead[t.it.process & 4095] || t.lane > 1)
      enqueue(t.lane, t.it);
  }
  if (!nready) {
    if (!nheap)
      return 0;
    if (dead[heap[0].it.process & 4095]) {
      popTimer();
      goto again;
    }
    now_ = heap[0].at;
    reseed();
    goto again;
  }
  size_t i;
  switch (policy) {
  case 1:
    i = below(schedS, 4) ? 0 : below(schedS, nready);
    break; // nearly in order
  case 2:
    i = below(schedS, 4) ? nready - 1 : below(schedS, nready);
    break; // newest first
  default:
    i = below(schedS, nready);
  }
  entry *e = &ready[i];
  item it;
  uintptr_t key = 0;
  if (e->isLane) {
    lane *l = e->ln;
    key = l->key;
    it = l->q[l->head];
    l->head = (l->head + 1) % l->cap;
    if (!--l->count) {
      free(l->q);
      free(l);
      if (policy == 1) {
        memmove(e, e + 1, (nready - i - 1) * sizeof *e);
        nready--;
      } else
        ready[i] = ready[--nready];
    }
  } else {
    it = e->it;
    if (policy == 1) {
      memmove(e, e + 1, (nready - i - 1) * sizeof *e);
      nready--;
    } else
      ready[i] = ready[--nready];
  }
  if (dead[it.process & 4095] && key <= 1) {
    goto again;
  } // a thread of its own still ends what it does
  steps++;
  now_ += 200 + (int64_t)below(schedS, 20000); // a step takes up to 20 µs
  sim_note((uint64_t)it.kind << 56 | (uint64_t)(i & 0xffff) << 32 |
           (uint64_t)(nready & 0xffff) << 16 | (now_ & 0xffff));
  runItem(it);
  (void)key;
  return 1;
}

// MARK: hooks
static SWIFTCC void hookGlobal(void *job, void *original) {
  if (!here()) {
    ((orig1)original)(job);
    return;
  }
  counts.global++;
  enqueue(0, (item){JOB, process, job, 0});
}
static SWIFTCC void hookMain(void *job, void *original) {
  if (!here()) {
    ((orig1)original)(job);
    return;
  }
  counts.mainq++;
  enqueue(1, (item){MAINJOB, process, job, 0});
}
static SWIFTCC void hookDelay(unsigned long long delay, void *job, void *original) {
  if (!here()) {
    ((SWIFTCC void (*)(unsigned long long, void *))original)(delay, job);
    return;
  }
  counts.delay++;
  addTimer(now_ + (int64_t)delay, 0, (item){JOB, process, job, 0});
}
static SWIFTCC void hookDeadline(long long s, long long ns, long long ts, long long tns, int clock,
                                 void *job, void *original) {
  if (!here()) {
    ((SWIFTCC void (*)(long long, long long, long long, long long, int, void *))original)(
        s, ns, ts, tns, clock, job);
    return;
  }
  counts.deadline++;
  int64_t at = (s > 9000000000ll ? 9000000000ll : s) * 1000000000ll + ns - epoch;
  addTimer(at > now_ ? at : now_, 0, (item){JOB, process, job, 0});
}
void sim_install(void) {
  swift_task_enqueueGlobal_hook = hookGlobal;
  swift_task_enqueueGlobalWithDelay_hook = hookDelay;
  swift_task_enqueueGlobalWithDeadline_hook = hookDeadline;
  swift_task_enqueueMainExecutor_hook = hookMain;
}
void sim_begin(uint64_t seed, int pol) {
  owner = pthread_self();
  policy = pol;
  epoch = 1000000000ll * 1000000; // the monotonic clock's beginning
  uint64_t x = seed * 0x9E3779B97F4A7C15ull + 12345;
  worldSeed = splitmix(&x);
  hash = 0xcbf29ce484222325ull;
  steps = 0;
  now_ = 0;
  reseed();
  seq = 0;
  process = 0;
  nheap = 0;
  nready = 0;
  ntrace = 0;
  memset(dead, 0, sizeof dead);
  active = 1;
}
void sim_end(void) {
  active = 0;
  nheap = 0;
  nready = 0;
  int k = 0;
  for (int i = 0; i < nworkers; i++)
    if (workers[i]->state == 0)
      workers[k++] = workers[i];
  nworkers = k; // those that hang are left behind
}

// MARK: interposed symbols: the executable's definitions come first for every shared library.
typedef void *dispatch_queue_t;
static void *real(const char *name) {
  void *p = dlsym(RTLD_NEXT, name);
  if (!p) {
    fprintf(stderr, "no %s\n", name);
    abort();
  }
  return p;
}
#define REAL(type, name)                                                                           \
  static __typeof__(type) *f;                                                                      \
  if (!f)                                                                                          \
  f = (__typeof__(type) *)real(name)
extern dispatch_queue_t dispatch_get_global_queue(intptr_t, uintptr_t);
static int isGlobal(dispatch_queue_t q) {
  static void *g[8];
  static int n;
  if (!n) {
    intptr_t ids[] = {0x21, 0x19, 0x15, 0x11, 0x09};
    for (int i = 0; i < 5; i++)
      g[n++] = dispatch_get_global_queue(ids[i], 0);
  }
  for (int i = 0; i < n; i++)
    if (g[i] == q)
      return 1;
  return 0;
}
extern char _dispatch_main_q;
static uintptr_t keyOf(dispatch_queue_t q) {
  return q == (void *)&_dispatch_main_q ? 1 : isGlobal(q) ? 0 : (uintptr_t)q;
}
int64_t decode(uint64_t when) {
  if (when == ~0ull)
    return INT64_MAX;
  if ((when >> 62) == 3)
    return -(int64_t)when - 1800000000ll * 1000000000ll;
  return (int64_t)(when & ~(1ull << 63)) - epoch;
}
void dispatch_async(dispatch_queue_t q, void *block) {
  if (here()) {
    counts.blocks++;
    enqueue(keyOf(q), (item){BLOCK, process, _Block_copy(block), 0});
    return;
  }
  REAL(void(dispatch_queue_t, void *), "dispatch_async");
  f(q, block);
}
void dispatch_async_f(dispatch_queue_t q, void *ctx, void (*work)(void *)) {
  if (here()) {
    counts.funcs++;
    enqueue(keyOf(q), (item){FUNC, process, (void *)work, ctx});
    return;
  }
  REAL(void(dispatch_queue_t, void *, void (*)(void *)), "dispatch_async_f");
  f(q, ctx, work);
}
void dispatch_after(uint64_t when, dispatch_queue_t q, void *block) {
  if (here()) {
    counts.after++;
    int64_t at = decode(when);
    addTimer(at > now_ ? at : now_, keyOf(q), (item){BLOCK, process, _Block_copy(block), 0});
    return;
  }
  REAL(void(uint64_t, dispatch_queue_t, void *), "dispatch_after");
  f(when, q, block);
}
void dispatch_sync(dispatch_queue_t q, void *block) {
  if (here())
    counts.sync++;
  REAL(void(dispatch_queue_t, void *), "dispatch_sync");
  f(q, block);
}
intptr_t dispatch_semaphore_wait(void *s, uint64_t t) {
  if (here())
    counts.sema++;
  REAL(intptr_t(void *, uint64_t), "dispatch_semaphore_wait");
  return f(s, t);
}
typedef struct {
  int used;
  void *ctx;
  void (*fn)(void *);
  void *block;
  dispatch_queue_t q;
  int64_t at;
  int activeNow, cancelled;
  uint64_t arm;
} fake;
static fake fakes[65536];
static int nfake;
static int isFake(const void *p) {
  return (const char *)p >= (const char *)fakes && (const char *)p < (const char *)(fakes + 65536);
}
typedef struct {
  fake *f;
  uint64_t arm;
} ring;
static void ringFake(void *p) {
  ring *r = p;
  fake *f = r->f;
  int ok = f->used && !f->cancelled && f->arm == r->arm;
  free(r);
  if (!ok)
    return;
  if (f->fn)
    f->fn(f->ctx);
  else if (f->block)
    ((void (*)(void *))(((void **)f->block)[2]))(f->block);
}
static void armFake(fake *f) {
  if (!f->activeNow || f->at == INT64_MAX || f->cancelled)
    return;
  ring *r = malloc(sizeof *r);
  r->f = f;
  r->arm = ++f->arm;
  counts.deadline++;
  addTimer(f->at > now_ ? f->at : now_, keyOf(f->q), (item){FUNC, process, (void *)ringFake, r});
}
void dispatch_source_set_timer(void *s, uint64_t start, uint64_t interval, uint64_t leeway) {
  if (isFake(s)) {
    fake *f = s;
    f->at = decode(start);
    f->arm++;
    armFake(f);
    return;
  }
  REAL(void(void *, uint64_t, uint64_t, uint64_t), "dispatch_source_set_timer");
  f(s, start, interval, leeway);
}
void dispatch_source_set_event_handler_f(void *s, void (*h)(void *)) {
  if (isFake(s)) {
    ((fake *)s)->fn = h;
    return;
  }
  REAL(void(void *, void (*)(void *)), "dispatch_source_set_event_handler_f");
  f(s, h);
}
void dispatch_source_set_event_handler(void *s, void *h) {
  if (isFake(s)) {
    ((fake *)s)->block = _Block_copy(h);
    return;
  }
  REAL(void(void *, void *), "dispatch_source_set_event_handler");
  f(s, h);
}
void dispatch_source_set_cancel_handler(void *s, void *h) {
  if (isFake(s))
    return;
  REAL(void(void *, void *), "dispatch_source_set_cancel_handler");
  f(s, h);
}
void dispatch_source_cancel(void *s) {
  if (isFake(s)) {
    ((fake *)s)->cancelled = 1;
    return;
  }
  REAL(void(void *), "dispatch_source_cancel");
  f(s);
}
void dispatch_set_context(void *s, void *c) {
  if (isFake(s)) {
    ((fake *)s)->ctx = c;
    return;
  }
  REAL(void(void *, void *), "dispatch_set_context");
  f(s, c);
}
void dispatch_activate(void *s) {
  if (isFake(s)) {
    ((fake *)s)->activeNow = 1;
    armFake(s);
    return;
  }
  REAL(void(void *), "dispatch_activate");
  f(s);
}
void dispatch_resume(void *s) {
  if (isFake(s)) {
    ((fake *)s)->activeNow = 1;
    armFake(s);
    return;
  }
  REAL(void(void *), "dispatch_resume");
  f(s);
}
void dispatch_release(void *s) {
  if (isFake(s)) {
    ((fake *)s)->used = 0;
    return;
  }
  REAL(void(void *), "dispatch_release");
  f(s);
}
void dispatch_retain(void *s) {
  if (isFake(s))
    return;
  REAL(void(void *), "dispatch_retain");
  f(s);
}
void dispatch_after_f(uint64_t when, dispatch_queue_t q, void *ctx, void (*work)(void *)) {
  if (here()) {
    counts.after++;
    int64_t at = decode(when);
    addTimer(at > now_ ? at : now_, keyOf(q), (item){FUNC, process, (void *)work, ctx});
    return;
  }
  REAL(void(uint64_t, dispatch_queue_t, void *, void (*)(void *)), "dispatch_after_f");
  f(when, q, ctx, work);
}
extern char _dispatch_source_type_timer;
void *dispatch_source_create(const void *type, uintptr_t h, uintptr_t m, dispatch_queue_t q) {
  if (here() && type == &_dispatch_source_type_timer) {
    counts.sources++;
    for (int i = 0; i < 65536; i++) {
      nfake = (nfake + 1) % 65536;
      if (!fakes[nfake].used)
        break;
    }
    fake *f = &fakes[nfake];
    memset(f, 0, sizeof *f);
    f->used = 1;
    f->q = q;
    f->at = INT64_MAX;
    return f;
  }
  REAL(void *(const void *, uintptr_t, uintptr_t, dispatch_queue_t), "dispatch_source_create");
  return f(type, h, m, q);
}
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*w)(void *), void *c) {
  if (here())
    counts.threads++;
  REAL(int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), "pthread_create");
  return f(t, a, w, c);
}
static int realCreate(pthread_t *t, void *(*w)(void *), void *c) {
  REAL(int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), "pthread_create");
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 1 << 20);
  return f(t, &a, w, c);
}
int usleep(unsigned us) {
  if (here()) {
    now_ += (int64_t)us * 1000;
    if (me && preempt)
      yield_(2);
    return 0;
  }
  struct timespec t = {us / 1000000, (us % 1000000) * 1000};
  return (int)syscall(SYS_nanosleep, &t, 0);
}
// A Mutex whose owner is paused: others come first.
void lockSlow(uint32_t self, __attribute__((swift_context)) void *handle)
    __attribute__((swiftcall)) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFTCC void lockSlow(uint32_t self, __attribute__((swift_context)) void *handle) {
  if (active && me && preempt) {
    _Atomic(uint32_t) *word = handle;
    uint32_t zero = 0;
    contentions++;
    while (!atomic_compare_exchange_strong(word, &zero, self)) {
      zero = 0;
      yield_(3);
    }
    return;
  }
  static SWIFTCC void (*f)(uint32_t, __attribute__((swift_context)) void *);
  if (!f)
    f = real("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  f(self, handle);
}
int pthread_mutex_lock(pthread_mutex_t *m) {
  if (active && me && preempt) {
    int e;
    while ((e = pthread_mutex_trylock(m)) == EBUSY) {
      contentions++;
      yield_(3);
    }
    return e;
  }
  static int (*f)(pthread_mutex_t *);
  if (!f)
    f = real("pthread_mutex_lock");
  return f(m);
}
// One source for all ways to random bytes: which of them the standard library takes depends on what
// was inlined.
static void fillRandom(void *buffer, size_t n) {
  counts.randoms++;
  unsigned char *bytes = buffer;
  while (n) {
    uint64_t word = next(rndS);
    size_t count = n < 8 ? n : 8;
    memcpy(bytes, &word, count);
    bytes += count;
    n -= count;
  }
}
long syscall(long n, ...) {
  va_list l;
  va_start(l, n);
  long a = va_arg(l, long), b = va_arg(l, long), c = va_arg(l, long), d = va_arg(l, long),
       e = va_arg(l, long), g = va_arg(l, long);
  va_end(l);
  if (n == SYS_getrandom && here()) {
    fillRandom((void *)a, (size_t)b);
    return b;
  }
  long r;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = g;
  __asm__ volatile("syscall"
                   : "=a"(r)
                   : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  if (r < 0 && r > -4096) {
    errno = (int)-r;
    return -1;
  }
  return r;
}
int clock_gettime(clockid_t id, struct timespec *ts) {
  if (here() && id != CLOCK_PROCESS_CPUTIME_ID && id != CLOCK_THREAD_CPUTIME_ID) {
    counts.clocks++;
    int64_t t = now_ + epoch;
    if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
      t = now_ + 1800000000ll * 1000000000ll;
    ts->tv_sec = t / 1000000000;
    ts->tv_nsec = t % 1000000000;
    return 0;
  }
  return (int)syscall(SYS_clock_gettime, id, ts);
}
void swift_stdlib_random(void *buf, size_t n) {
  if (here()) {
    fillRandom(buf, n);
    return;
  }
  REAL(void(void *, size_t), "swift_stdlib_random");
  f(buf, n);
}
// Hashing without random seeds, before any table exists.
struct params {
  uint64_t seed0, seed1;
  _Bool deterministic;
};
__attribute__((constructor)) void sim_deterministic_hashing(void) {
  struct params *p = dlsym(RTLD_DEFAULT, "_swift_stdlib_Hashing_parameters");
  if (p) {
    p->seed0 = 0;
    p->seed1 = 0;
    p->deterministic = 1;
  }
}
// UUIDs of Foundation: it opens /dev/urandom for each.
#include <sys/stat.h>
#include <sys/sysmacros.h>
static int isUrandom(int fd) {
  struct stat st;
  return !fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 9);
}
ssize_t read(int fd, void *b, size_t n) {
  if (here() && isUrandom(fd)) {
    fillRandom(b, n);
    return (ssize_t)n;
  }
  return syscall(SYS_read, fd, b, n, 0, 0, 0);
}

static int32_t planted;
int32_t sim_planted_fault(void) {
  return planted;
}
void sim_plant(int32_t number) {
  planted = number;
}

// A file's identity and its times differ from run to run, and an outbox stores those of bodies.
int stat(const char *path, struct stat *status) {
  REAL(int(const char *, struct stat *), "stat");
  int result = f(path, status);
  if (!result && here() && strstr(path, ".body")) {
    status->st_ino = 1;
    status->st_dev = 1;
    status->st_mtim = (struct timespec){1800000000, 100000000};
  }
  return result;
}
// A dead process removes no file any more, although its threads still end what they do.
int unlink(const char *path) {
  if (here() && (sim_disk_is_dead() || !sim_alive(process)) && strstr(path, ".body"))
    return 0;
  return (int)syscall(SYS_unlink, path, 0, 0, 0, 0, 0);
}
