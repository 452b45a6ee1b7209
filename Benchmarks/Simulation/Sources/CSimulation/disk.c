// A disk in memory for SQLite that keeps only what was synced when the machine loses its power.
#define _GNU_SOURCE
#include "include/CSimulation.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct op {
  int isTrunc;
  int64_t off;
  int len;
  unsigned char *data;
  struct op *next;
} op;
typedef struct node {
  char name[512];
  unsigned char *cur, *dur;
  int64_t ncur, ndur, ccur, cdur;
  int exists, wasSynced;
  op *first, *last;
  struct node *next;
  int shared, reserved, pending, exclusive; // locks of the file
  void *shm[64];
  int nshm;
  int shmShared[8], shmExcl[8]; // WAL index
} node;
typedef struct {
  sqlite3_file base;
  node *n;
  int level;
  uint32_t gen;
  int shS, shX;
  int delOnClose;
} file;
static node *nodes;
static uint32_t gen = 1;
static int dead_, honest = 1;
static int64_t failAt = -1, errorAt = -1;
static uint64_t ops, syncs;
static uint64_t rs;
static uint64_t rnd(void) {
  uint64_t z = (rs += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
uint64_t sim_disk_ops(void) {
  return ops;
}
uint64_t sim_disk_syncs(void) {
  return syncs;
}
int sim_disk_is_dead(void) {
  return dead_;
}
void sim_disk_mode(int h) {
  honest = h;
}
void sim_disk_fail_at(int64_t n) {
  failAt = n;
}
void sim_disk_error_at(int64_t n) {
  errorAt = n;
}
static void freeOps(node *n) {
  for (op *o = n->first; o;) {
    op *x = o->next;
    free(o->data);
    free(o);
    o = x;
  }
  n->first = n->last = 0;
}
void sim_disk_reset(uint64_t seed) {
  rs = seed;
  ops = syncs = 0;
  failAt = errorAt = -1;
  dead_ = 0;
  gen++;
  honest = 1;
  sqlite3_randomness(0, 0); // the next world draws its own
  for (node *n = nodes; n;) {
    node *x = n->next;
    freeOps(n);
    free(n->cur);
    free(n->dur); /* shm leaks: a dead connection may read it */
    free(n);
    n = x;
  }
  nodes = 0;
}
static void grow(unsigned char **p, int64_t *n, int64_t *c, int64_t to) {
  if (to > *c) {
    int64_t k = *c ? *c : 4096;
    while (k < to)
      k *= 2;
    *p = realloc(*p, k);
    *c = k;
  }
  if (to > *n) {
    memset(*p + *n, 0, to - *n);
    *n = to;
  }
}
static void apply(node *n, const op *o, int len) {
  if (o->isTrunc) {
    if (o->off < n->ndur)
      n->ndur = o->off;
    else
      grow(&n->dur, &n->ndur, &n->cdur, o->off);
    return;
  }
  grow(&n->dur, &n->ndur, &n->cdur, o->off + len);
  memcpy(n->dur + o->off, o->data, len);
}
static void syncNode(node *n) {
  for (op *o = n->first; o; o = o->next)
    apply(n, o, o->len);
  freeOps(n);
  n->wasSynced = 1;
}
void sim_disk_crash(void) {
  for (node *n = nodes; n; n = n->next) {
    int mode = rnd() % 4; // nothing, everything, a prefix, any subset, of what wasn't synced; the
                          // last one may be torn
    int count = 0;
    for (op *o = n->first; o; o = o->next)
      count++;
    int upto = count ? (int)(rnd() % (count + 1)) : 0, i = 0;
    for (op *o = n->first; o; o = o->next, i++) {
      int keep = mode == 0 ? 0 : mode == 1 ? 1 : mode == 2 ? i < upto : (int)(rnd() & 1);
      if (keep)
        apply(n, o, o->len);
      else if (mode >= 2 && !o->isTrunc && o->len > 512 && (rnd() & 1))
        apply(n, o, (int)(1 + rnd() % (o->len / 512)) * 512);
    }
    freeOps(n);
    if (n->ndur) {
      grow(&n->cur, &n->ncur, &n->ccur, n->ndur);
      memcpy(n->cur, n->dur, n->ndur);
    }
    n->ncur = n->ndur;
    n->shared = n->reserved = n->pending = n->exclusive = 0;
    n->nshm = 0;
    memset(n->shm, 0, sizeof n->shm);
    memset(n->shmShared, 0, sizeof n->shmShared);
    memset(n->shmExcl, 0, sizeof n->shmExcl);
  }
  gen++;
  dead_ = 0;
  failAt = -1;
  errorAt = -1;
}
static node *find(const char *name, int create) {
  for (node *n = nodes; n; n = n->next)
    if (!strcmp(n->name, name))
      return n;
  if (!create)
    return 0;
  node *n = calloc(1, sizeof *n);
  snprintf(n->name, sizeof n->name, "%s", name);
  n->next = nodes;
  nodes = n;
  return n;
}
// 0 go on; otherwise the error
static int tick(file *f) {
  if (f->gen != gen || dead_)
    return SQLITE_IOERR;
  ops++;
  if (failAt >= 0 && failAt-- == 0) {
    dead_ = 1;
    return SQLITE_IOERR;
  }
  if (errorAt >= 0 && errorAt-- == 0)
    return SQLITE_IOERR;
  return 0;
}
static void addOp(node *n, int t, int64_t off, const void *d, int len) {
  op *o = calloc(1, sizeof *o);
  o->isTrunc = t;
  o->off = off;
  o->len = len;
  if (len) {
    o->data = malloc(len);
    memcpy(o->data, d, len);
  }
  if (n->last)
    n->last->next = o;
  else
    n->first = o;
  n->last = o;
}
static int vUnlock(sqlite3_file *, int);
static int vShmUnmap(sqlite3_file *, int);
static int vClose(sqlite3_file *p) {
  file *f = (file *)p;
  if (f->gen == gen) {
    vUnlock(p, 0);
    vShmUnmap(p, 0);
    if (f->delOnClose) {
      freeOps(f->n);
      f->n->ncur = f->n->ndur = 0;
      f->n->exists = 0;
    }
  }
  return SQLITE_OK;
}
static int vRead(sqlite3_file *p, void *b, int n, sqlite3_int64 off) {
  file *f = (file *)p;
  if (f->gen != gen || dead_)
    return SQLITE_IOERR_READ;
  int64_t have = f->n->ncur - off;
  if (have >= n) {
    memcpy(b, f->n->cur + off, n);
    return SQLITE_OK;
  }
  if (have < 0)
    have = 0;
  if (have)
    memcpy(b, f->n->cur + off, have);
  memset((char *)b + have, 0, n - have);
  return SQLITE_IOERR_SHORT_READ;
}
static int vWrite(sqlite3_file *p, const void *b, int n, sqlite3_int64 off) {
  file *f = (file *)p;
  int e = tick(f);
  if (e) {
    if (f->gen == gen && n > 512) {
      int k = (int)(rnd() % (n / 512)) * 512;
      if (k) {
        addOp(f->n, 0, off, b, k);
        grow(&f->n->cur, &f->n->ncur, &f->n->ccur, off + k);
        memcpy(f->n->cur + off, b, k);
      }
    }
    return SQLITE_IOERR_WRITE;
  }
  addOp(f->n, 0, off, b, n);
  grow(&f->n->cur, &f->n->ncur, &f->n->ccur, off + n);
  memcpy(f->n->cur + off, b, n);
  return SQLITE_OK;
}
static int vTruncate(sqlite3_file *p, sqlite3_int64 size) {
  file *f = (file *)p;
  if (tick(f))
    return SQLITE_IOERR_TRUNCATE;
  addOp(f->n, 1, size, 0, 0);
  if (size < f->n->ncur)
    f->n->ncur = size;
  else
    grow(&f->n->cur, &f->n->ncur, &f->n->ccur, size);
  return SQLITE_OK;
}
static int vSync(sqlite3_file *p, int flags) {
  file *f = (file *)p;
  if (tick(f))
    return SQLITE_IOERR_FSYNC;
  syncs++;
  if (honest)
    syncNode(f->n);
  return SQLITE_OK;
}
static int vSize(sqlite3_file *p, sqlite3_int64 *s) {
  file *f = (file *)p;
  *s = f->n->ncur;
  return f->gen == gen ? SQLITE_OK : SQLITE_IOERR_FSTAT;
}
static int vLock(sqlite3_file *p, int level) {
  file *f = (file *)p;
  node *n = f->n;
  if (f->gen != gen || dead_)
    return SQLITE_IOERR_LOCK;
  if (f->level >= level)
    return SQLITE_OK;
  if (level == SQLITE_LOCK_SHARED) {
    if (n->pending || n->exclusive)
      return SQLITE_BUSY;
    n->shared++;
    f->level = 1;
    return SQLITE_OK;
  }
  if (level == SQLITE_LOCK_RESERVED) {
    if (n->reserved || n->pending || n->exclusive)
      return SQLITE_BUSY;
    n->reserved = 1;
    f->level = 2;
    return SQLITE_OK;
  }
  if (f->level < 2) {
    if (n->reserved || n->pending || n->exclusive)
      return SQLITE_BUSY;
    n->reserved = 1;
    f->level = 2;
  }
  if (f->level < 3) {
    n->pending = 1;
    f->level = 3;
  }
  if (n->shared > 1)
    return SQLITE_BUSY;
  n->exclusive = 1;
  f->level = 4;
  return SQLITE_OK;
}
static int vUnlock(sqlite3_file *p, int level) {
  file *f = (file *)p;
  node *n = f->n;
  if (f->gen != gen)
    return SQLITE_OK;
  if (f->level <= level)
    return SQLITE_OK;
  if (f->level >= 4)
    n->exclusive = 0;
  if (f->level >= 3)
    n->pending = 0;
  if (f->level >= 2)
    n->reserved = 0;
  if (level == 0 && f->level >= 1)
    n->shared--;
  f->level = level;
  return SQLITE_OK;
}
static int vReserved(sqlite3_file *p, int *out) {
  file *f = (file *)p;
  *out = f->n->reserved || f->n->pending || f->n->exclusive;
  return SQLITE_OK;
}
static int vControl(sqlite3_file *p, int o, void *a) {
  return SQLITE_NOTFOUND;
}
static int vSector(sqlite3_file *p) {
  return 512;
}
static int vChar(sqlite3_file *p) {
  return 0;
}
static int vShmMap(sqlite3_file *p, int i, int size, int extend, void volatile **out) {
  file *f = (file *)p;
  node *n = f->n;
  if (f->gen != gen || dead_)
    return SQLITE_IOERR_SHMMAP;
  if (i >= 64)
    return SQLITE_IOERR_SHMMAP;
  if (!n->shm[i]) {
    if (!extend) {
      *out = 0;
      return SQLITE_OK;
    }
    n->shm[i] = calloc(1, size);
    if (i >= n->nshm)
      n->nshm = i + 1;
  }
  *out = n->shm[i];
  return SQLITE_OK;
}
static int vShmLock(sqlite3_file *p, int off, int cnt, int flags) {
  file *f = (file *)p;
  node *n = f->n;
  if (f->gen != gen || dead_)
    return SQLITE_IOERR_SHMLOCK;
  for (int i = off; i < off + cnt; i++) {
    int m = 1 << i;
    if (flags & SQLITE_SHM_UNLOCK)
      continue;
    if (flags & SQLITE_SHM_SHARED) {
      if (n->shmExcl[i] && !(f->shX & m))
        return SQLITE_BUSY;
    } else if ((n->shmExcl[i] && !(f->shX & m)) || n->shmShared[i] - ((f->shS & m) ? 1 : 0) > 0)
      return SQLITE_BUSY;
  }
  for (int i = off; i < off + cnt; i++) {
    int m = 1 << i;
    if (flags & SQLITE_SHM_UNLOCK) {
      if (f->shS & m) {
        n->shmShared[i]--;
        f->shS &= ~m;
      }
      if (f->shX & m) {
        n->shmExcl[i] = 0;
        f->shX &= ~m;
      }
    } else if (flags & SQLITE_SHM_SHARED) {
      if (!(f->shS & m)) {
        n->shmShared[i]++;
        f->shS |= m;
      }
    } else {
      n->shmExcl[i] = 1;
      f->shX |= m;
    }
  }
  return SQLITE_OK;
}
static void vShmBarrier(sqlite3_file *p) {
  __sync_synchronize();
}
static int vShmUnmap(sqlite3_file *p, int del) {
  file *f = (file *)p;
  if (f->gen != gen)
    return SQLITE_OK;
  vShmLock(p, 0, 8, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
  if (del) {
    node *n = f->n;
    for (int i = 0; i < n->nshm; i++)
      n->shm[i] = 0;
    n->nshm = 0;
  }
  return SQLITE_OK;
}
static sqlite3_io_methods methods = {2,     vClose,  vRead,    vWrite,      vTruncate, vSync,
                                     vSize, vLock,   vUnlock,  vReserved,   vControl,  vSector,
                                     vChar, vShmMap, vShmLock, vShmBarrier, vShmUnmap};
static int tempCount;
static int oOpen(sqlite3_vfs *v, const char *name, sqlite3_file *p, int flags, int *out) {
  file *f = (file *)p;
  memset(f, 0, sizeof *f);
  f->base.pMethods = 0;
  char t[32];
  if (dead_)
    return SQLITE_CANTOPEN;
  if (!name) {
    snprintf(t, sizeof t, "temp%d", tempCount++);
    name = t;
  }
  node *n = find(name, 0);
  if (!n || !n->exists) {
    if (!(flags & SQLITE_OPEN_CREATE))
      return SQLITE_CANTOPEN;
    n = find(name, 1);
    n->exists = 1;
  }
  f->n = n;
  f->gen = gen;
  f->delOnClose = flags & SQLITE_OPEN_DELETEONCLOSE;
  f->base.pMethods = &methods;
  if (out)
    *out = flags;
  return SQLITE_OK;
}
static int oDelete(sqlite3_vfs *v, const char *name, int dir) {
  if (dead_)
    return SQLITE_IOERR;
  node *n = find(name, 0);
  if (!n || !n->exists)
    return SQLITE_IOERR_DELETE_NOENT;
  freeOps(n);
  n->ncur = n->ndur = 0;
  n->exists = 0;
  return SQLITE_OK;
}
static int oAccess(sqlite3_vfs *v, const char *name, int flags, int *out) {
  node *n = find(name, 0);
  *out = n && n->exists && (flags != SQLITE_ACCESS_EXISTS || n->ncur > 0);
  return SQLITE_OK;
}
static int oFull(sqlite3_vfs *v, const char *name, int n, char *out) {
  snprintf(out, n, "%s", name);
  return SQLITE_OK;
}
static int oRandom(sqlite3_vfs *v, int n, char *out) {
  for (int i = 0; i < n; i++)
    out[i] = (char)rnd();
  return n;
}
static int oSleep(sqlite3_vfs *v, int us) {
  sim_advance((int64_t)us * 1000);
  return us;
}
static int oTime(sqlite3_vfs *v, double *t) {
  *t = 2440587.5 + (1800000000.0 + sim_now() / 1e9) / 86400.0;
  return SQLITE_OK;
}
static int oTime64(sqlite3_vfs *v, sqlite3_int64 *t) {
  *t = 210866760000000ll + 1800000000000ll + sim_now() / 1000000;
  return SQLITE_OK;
}
static int oErr(sqlite3_vfs *v, int n, char *b) {
  return 0;
}
static sqlite3_vfs vfs = {2,       sizeof(file), 512,   0,    "sim",  0, oOpen,
                          oDelete, oAccess,      oFull, 0,    0,      0, 0,
                          oRandom, oSleep,       oTime, oErr, oTime64};
int sim_vfs_register(void) {
  return sqlite3_vfs_register(&vfs, 1);
}
