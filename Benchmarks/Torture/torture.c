// Preloaded before a program: lets the n-th call of a kind fail, once or from then on.
//
// TORTURE_CALL is the kind, such as `fsync`; TORTURE_AT the number of the call, from 1; with
// TORTURE_FOREVER=1 all that follow fail, too. Calls count between `torture_begin` and
// `torture_end`, for a program and its libraries alike; what is written to the standard streams
// doesn't count. With TORTURE_AT=0 nothing fails, and the number of calls is printed at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

static const char *kind = "";
static long at, forever;
static atomic_long calls, active;

// Dispatch ends the process, or never fires a timer again, when its own calls fail.
static int is_of_dispatch(void *caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libdispatch");
}

__attribute__((always_inline)) static inline int fails(const char *name, int error) {
  if (!atomic_load(&active) || strcmp(name, kind) != 0 ||
      is_of_dispatch(__builtin_return_address(0))) {
    return 0;
  }
  long call = atomic_fetch_add(&calls, 1) + 1;
  if (at == 0 || (forever ? call < at : call != at)) {
    return 0;
  }
  errno = error;
  return 1;
}

#define NEXT(name)                                                                                 \
  static __typeof__(&name) next;                                                                   \
  if (!next) {                                                                                     \
    next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                             \
  }

#define INTERPOSE(result, failure, name, called, error, parameters, arguments)                     \
  result name parameters {                                                                         \
    NEXT(name)                                                                                     \
    if (fails(called, error)) {                                                                    \
      return failure;                                                                              \
    }                                                                                              \
    return next arguments;                                                                         \
  }

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
  va_end(list);
  NEXT(open)
  return fails("open", EMFILE) ? -1 : next(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
  va_end(list);
  NEXT(open64)
  return fails("open", EMFILE) ? -1 : next(path, flags, mode);
}
INTERPOSE(ssize_t, -1, read, "read", EIO, (int f, void *b, size_t n), (f, b, n))
INTERPOSE(ssize_t, -1, pread, "read", EIO, (int f, void *b, size_t n, off_t o), (f, b, n, o))
INTERPOSE(ssize_t, -1, pread64, "read", EIO, (int f, void *b, size_t n, off64_t o), (f, b, n, o))
ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(write)
  return file > 2 && fails("write", ENOSPC) ? -1 : next(file, bytes, count);
}
INTERPOSE(ssize_t, -1, pwrite, "write", ENOSPC, (int f, const void *b, size_t n, off_t o),
          (f, b, n, o))
INTERPOSE(ssize_t, -1, pwrite64, "write", ENOSPC, (int f, const void *b, size_t n, off64_t o),
          (f, b, n, o))
INTERPOSE(int, -1, fsync, "fsync", EIO, (int f), (f))
INTERPOSE(int, -1, fdatasync, "fsync", EIO, (int f), (f))
INTERPOSE(int, -1, ftruncate, "ftruncate", EIO, (int f, off_t n), (f, n))
INTERPOSE(int, -1, ftruncate64, "ftruncate", EIO, (int f, off64_t n), (f, n))
INTERPOSE(int, -1, rename, "rename", EACCES, (const char *a, const char *b), (a, b))
INTERPOSE(int, -1, unlink, "unlink", EACCES, (const char *a), (a))
INTERPOSE(int, -1, socket, "socket", EMFILE, (int d, int t, int p), (d, t, p))
INTERPOSE(int, -1, connect, "connect", ENETUNREACH, (int f, const struct sockaddr *a, socklen_t n),
          (f, a, n))
INTERPOSE(ssize_t, -1, send, "send", EPIPE, (int f, const void *b, size_t n, int o), (f, b, n, o))
INTERPOSE(ssize_t, -1, recv, "recv", ECONNRESET, (int f, void *b, size_t n, int o), (f, b, n, o))
INTERPOSE(int, -1, epoll_create1, "epoll", EMFILE, (int o), (o))
INTERPOSE(int, -1, epoll_ctl, "epoll", ENOMEM, (int e, int o, int f, struct epoll_event *v),
          (e, o, f, v))
INTERPOSE(void *, MAP_FAILED, mmap, "mmap", ENOMEM,
          (void *a, size_t n, int p, int g, int f, off_t o), (a, n, p, g, f, o))
INTERPOSE(void *, MAP_FAILED, mmap64, "mmap", ENOMEM,
          (void *a, size_t n, int p, int g, int f, off64_t o), (a, n, p, g, f, o))

// The memory of libcurl, SQLite and zlib, by their own interfaces: Swift itself ends the process when it
// has none, and so would everything that shares its allocator.
#define ALLOCATOR(name)                                                                            \
  static void *name##_malloc(size_t n) {                                                           \
    return fails(#name, ENOMEM) ? NULL : malloc(n);                                                \
  }                                                                                                \
  static void *name##_realloc(void *p, size_t n) {                                                 \
    return fails(#name, ENOMEM) ? NULL : realloc(p, n);                                            \
  }                                                                                                \
  static void *name##_calloc(size_t m, size_t n) {                                                 \
    return fails(#name, ENOMEM) ? NULL : calloc(m, n);                                             \
  }                                                                                                \
  static char *name##_strdup(const char *s) {                                                      \
    return fails(#name, ENOMEM) ? NULL : strdup(s);                                                \
  }
ALLOCATOR(curl)

typedef struct {
  void *(*allocate)(int);
  void (*release)(void *);
  void *(*resize)(void *, int);
  int (*size)(void *);
  int (*round)(int);
  int (*begin)(void *);
  void (*end)(void *);
  void *data;
} sqlite_memory;

static void *sqlite_allocate(int n) {
  if (fails("sqlite", ENOMEM)) {
    return NULL;
  }
  long *p = malloc((size_t)n + 16);
  if (!p) {
    return NULL;
  }
  p[0] = n;
  return p + 2;
}
static void sqlite_release(void *p) {
  if (p) {
    free((long *)p - 2);
  }
}
static void *sqlite_resize(void *p, int n) {
  if (fails("sqlite", ENOMEM)) {
    return NULL;
  }
  long *q = realloc((long *)p - 2, (size_t)n + 16);
  if (!q) {
    return NULL;
  }
  q[0] = n;
  return q + 2;
}
static int sqlite_size(void *p) {
  return p ? (int)((long *)p)[-2] : 0;
}
static int sqlite_round(int n) {
  return (n + 7) & ~7;
}
static int sqlite_begin(void *data) {
  return 0;
}
static void sqlite_end(void *data) {
}

// zlib is given its allocator with each stream.
static void *zlib_allocate(void *data, unsigned count, unsigned size) {
  return fails("zlib", ENOMEM) ? NULL : calloc(count, size);
}
static void zlib_release(void *data, void *p) {
  free(p);
}
int inflateInit2_(z_stream *stream, int bits, const char *version, int size) {
  NEXT(inflateInit2_)
  stream->zalloc = zlib_allocate;
  stream->zfree = zlib_release;
  return next(stream, bits, version, size);
}

int deflateInit2_(z_stream *stream, int level, int method, int bits, int memory, int strategy,
                  const char *version, int size) {
  NEXT(deflateInit2_)
  stream->zalloc = zlib_allocate;
  stream->zfree = zlib_release;
  return next(stream, level, method, bits, memory, strategy, version, size);
}

// Before anything of the first two libraries is used.
void torture_prepare(void) {
  int (*curl)(long, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t),
              char *(*)(const char *), void *(*)(size_t, size_t)) =
      dlsym(RTLD_DEFAULT, "curl_global_init_mem");
  if (curl) {
    curl(3, curl_malloc, free, curl_realloc, curl_strdup, curl_calloc);
  }
  int (*configure)(int, ...) = dlsym(RTLD_DEFAULT, "sqlite3_config");
  static sqlite_memory memory = {sqlite_allocate, sqlite_release, sqlite_resize, sqlite_size,
                                 sqlite_round,    sqlite_begin,   sqlite_end,    NULL};
  if (configure) {
    configure(4, &memory);
  }
}
void torture_begin(void) {
  kind = getenv("TORTURE_CALL") ?: "";
  at = atol(getenv("TORTURE_AT") ?: "0");
  forever = atol(getenv("TORTURE_FOREVER") ?: "0");
  atomic_store(&active, 1);
}
void torture_end(void) {
  atomic_store(&active, 0);
  if (at == 0) {
    fprintf(stderr, "%ld\n", atomic_load(&calls));
  }
}
