#ifndef C_RESOURCE_CURL_H
#define C_RESOURCE_CURL_H

// libcurl for Swift, which can't call functions with variable arguments, and Linux's means to wait for it.

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// Options of an easy handle, by the type of their argument.

static inline CURLcode resource_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode resource_curl_set_offset(CURL *easy, CURLoption option, long long value) {
  return curl_easy_setopt(easy, option, (curl_off_t)value);
}

static inline CURLcode resource_curl_set_string(
    CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode resource_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// The bytes are copied.
static inline CURLcode resource_curl_set_blob(
    CURL *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, &blob);
}

/// Refuses all schemes but http and https.
static inline CURLcode resource_curl_allow_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Has a transfer that ends before its host's name is known not wait for that. Without effect before libcurl 7.87.
static inline void resource_curl_leave_lookups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}

// Callbacks of an easy handle.

typedef size_t (*resource_curl_transfer)(char *, size_t, size_t, void *);
typedef int (*resource_curl_seek)(void *, curl_off_t, int);
typedef int (*resource_curl_begin)(void *, char *, char *, int, int);
typedef curl_socket_t (*resource_curl_open)(void *, curlsocktype, struct curl_sockaddr *);
typedef int (*resource_curl_close)(void *, curl_socket_t);

/// For what reads, writes and takes header lines.
static inline CURLcode resource_curl_set_transfer(
    CURL *easy, CURLoption option, resource_curl_transfer function) {
  return curl_easy_setopt(easy, option, function);
}

static inline CURLcode resource_curl_set_seek(CURL *easy, resource_curl_seek function) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

static inline CURLcode resource_curl_set_begin(CURL *easy, resource_curl_begin function) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode resource_curl_set_open(CURL *easy, resource_curl_open function) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode resource_curl_set_close(CURL *easy, resource_curl_close function) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

/// Copies the bytes of an address, at most 16.
///
/// Returns how many there are; 0 if it is one of another kind, such as that of a Unix domain socket.
static inline int resource_curl_address(const struct curl_sockaddr *address, unsigned char *bytes) {
  if (address->family == AF_INET) {
    memcpy(bytes, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
    return 4;
  }
  if (address->family == AF_INET6) {
    memcpy(bytes, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16);
    return 16;
  }
  return 0;
}

/// The port at this end of a socket; 0 for one without ports, such as a Unix domain socket, and -1 for none.
static inline int resource_curl_local_port(int socket) {
  struct sockaddr_storage address;
  socklen_t size = sizeof(address);
  if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return -1;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return 0;
}

// What an easy handle knows.

static inline long resource_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline long long resource_curl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline void *resource_curl_get_private(CURL *easy) {
  char *value = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return value;
}

// The multi handle and what easy handles share.

typedef int (*resource_curl_watch)(CURL *, curl_socket_t, int, void *, void *);
typedef int (*resource_curl_schedule)(CURLM *, long, void *);

static inline CURLMcode resource_curl_multi_set_long(
    CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline void resource_curl_multi_set_callbacks(
    CURLM *multi, resource_curl_watch watch, resource_curl_schedule schedule, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, schedule);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

/// The next transfer that is done, or NULL.
static inline CURL *resource_curl_multi_next(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message = curl_multi_info_read(multi, &left);
  while (message && message->msg != CURLMSG_DONE) message = curl_multi_info_read(multi, &left);
  if (!message) return NULL;
  *result = message->data.result;
  return message->easy_handle;
}

static inline CURLSHcode resource_curl_share(CURLSH *share, curl_lock_data data) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// Where the library was told to find the certificate authorities of the system; NULL if nowhere.

static inline const char *resource_curl_authority_file(void) {
  return curl_version_info(CURLVERSION_NOW)->cainfo;
}

static inline const char *resource_curl_authority_directory(void) {
  return curl_version_info(CURLVERSION_NOW)->capath;
}

/// The version of the library in use: a byte each for its three parts.
static inline unsigned int resource_curl_version(void) {
  return curl_version_info(CURLVERSION_NOW)->version_num;
}

// Macros that Swift doesn't see.

static inline curl_socket_t resource_curl_bad_socket(void) { return CURL_SOCKET_BAD; }

static inline unsigned int resource_curl_read_abort(void) { return CURL_READFUNC_ABORT; }

static inline int resource_epoll_set(int epoll, int operation, int descriptor, unsigned int events) {
  struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline int resource_epoll_descriptor(const struct epoll_event *event) {
  return event->data.fd;
}

#endif
