#include "CCurlMulti.h"

#ifdef __linux__

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *bytes;
  size_t count;
} body;

// Keeps the body, as whoever loads it does.
static size_t keep(char *bytes, size_t size, size_t count, void *pointer) {
  body *kept = pointer;
  char *longer = realloc(kept->bytes, kept->count + size * count);
  if (!longer) return 0;
  memcpy(longer + kept->count, bytes, size * count);
  kept->bytes = longer;
  kept->count += size * count;
  return size * count;
}

static void begin(CURLM *multi, const char *url) {
  CURL *easy = curl_easy_init();
  body *kept = calloc(1, sizeof *kept);
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, kept);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, kept);
  curl_multi_add_handle(multi, easy);
}

// The bytes that came, or -1.
static long end(CURLM *multi, CURLMsg *message) {
  CURL *easy = message->easy_handle;
  long status = 0;
  body *kept = NULL;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&kept);
  long count = message->data.result == CURLE_OK && status == 200 ? (long)kept->count : -1;
  curl_multi_remove_handle(multi, easy);
  curl_easy_cleanup(easy);
  free(kept->bytes);
  free(kept);
  return count;
}

long curl_multi_loads(const char *url, int count, int width) {
  // Its connections are kept from one call to the next, as a client keeps them.
  static CURLM *multi;
  if (!multi) multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)width);
  int begun = 0, ended = 0, running = 0;
  long bytes = 0;
  for (; begun < width && begun < count; begun++) begin(multi, url);
  while (ended < count) {
    curl_multi_perform(multi, &running);
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      long came = end(multi, message);
      if (came < 0) return -1;
      bytes += came;
      ended++;
      if (begun < count) {
        begin(multi, url);
        begun++;
      }
    }
    if (ended < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return bytes;
}

#else

long curl_multi_loads(const char *url, int count, int width) { return -1; }

#endif
