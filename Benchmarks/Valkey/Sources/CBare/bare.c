#include "bare.h"

#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

double bare_gets(const char *path, long size, long count) {
  redisContext *context = redisConnectUnix(path);
  if (!context || context->err) return -1;
  char *value = calloc(1, size);
  freeReplyObject(redisCommand(context, "SET bare %b", value, (size_t)size));
  free(value);
  double start = now();
  for (long number = 0; number < count; number++) {
    redisReply *reply = redisCommand(context, "GET bare");
    if (!reply || reply->len != (size_t)size) return -1;
    freeReplyObject(reply);
  }
  double taken = now() - start;
  redisFree(context);
  return taken;
}
