#ifndef C_RESOURCE_HIREDIS_H
#define C_RESOURCE_HIREDIS_H

// hiredis, the client library of Redis and Valkey, for Swift.

#if !__has_include(<hiredis/hiredis.h>)
#error "hiredis's headers are missing. On Debian and Ubuntu: apt-get install libhiredis-dev; or build without the trait Valkey"
#else

#include <errno.h>
#include <hiredis/hiredis.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/// Has this thread get an error instead of a signal when it writes to a connection that the server has closed.
static inline void resource_hiredis_ignore_broken_pipes(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

/// Returns what hiredis says about the last error of a connection.
static inline const char *resource_hiredis_error(const redisContext *context) {
  return context->errstr;
}

#endif
#endif
