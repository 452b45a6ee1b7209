#ifndef C_RESOURCE_CURL_H
#define C_RESOURCE_CURL_H

// libcurl for Swift, which can't call functions with variable arguments, and Linux's means to wait for it.

#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing. On Debian and Ubuntu: apt-get install libcurl4-openssl-dev; or build without the trait Curl, and clients load with URLSession: swift build --traits URLSession,XML, or traits: [\"URLSession\", \"XML\"] where a package depends on this one"
#else

#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
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
static inline CURLcode resource_curl_leave_lookups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
  return CURLE_UNKNOWN_OPTION;
#endif
}

/// The name of an option without its prefix, such as `PROXY`; NULL if the library in use doesn't know it.
static inline const char *resource_curl_option_name(CURLoption option) {
  const struct curl_easyoption *found = curl_easy_option_by_id(option);
  return found ? found->name : NULL;
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

/// The bytes on a TCP connection, and how long ago they passed, in milliseconds.
struct resource_traffic {
  unsigned long long confirmed, received;
  unsigned int since_confirmation, since_data;
};

/// Finds out what passed on a TCP connection. Returns 0, or -1 for another socket or a system that doesn't tell.
static inline int resource_socket_traffic(int socket, struct resource_traffic *traffic) {
  // The beginning of the kernel's `tcp_info` (linux/tcp.h), which never changes. That of the C library ends before the
  // numbers of bytes.
  struct {
    unsigned char state[8];
    unsigned int before[11], last_data_received, last_confirmation, behind[11];
    unsigned long long rates[2], confirmed, received;
  } info;
  socklen_t size = sizeof(info);
  memset(&info, 0, sizeof(info));
  if (getsockopt(socket, IPPROTO_TCP, 11 /* TCP_INFO */, &info, &size) != 0) return -1;
  if (size < sizeof(info)) return -1;
  traffic->confirmed = info.confirmed;
  traffic->received = info.received;
  traffic->since_confirmation = info.last_confirmation;
  traffic->since_data = info.last_data_received;
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

static inline const char *resource_curl_get_text(CURL *easy, CURLINFO info) {
  char *value = NULL;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

/// The socket of a handle that only connects.
static inline curl_socket_t resource_curl_socket(CURL *easy) {
  curl_socket_t value = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value);
  return value;
}

static inline void *resource_curl_get_private(CURL *easy) {
  char *value = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return value;
}

// What TLS holds back: libcurl reads no more of a body than its length, and the rest of the record stays, decrypted, in the
// TLS library, where no socket shows it. The library's own functions are found in the one that libcurl was linked with, so
// that its headers aren't needed.

struct resource_tls {
  int (*openssl_has_pending)(const void *session);
  void (*openssl_protocol)(const void *session, const unsigned char **name, unsigned int *size);
  size_t (*gnutls_pending)(void *session);
  int (*gnutls_protocol)(void *session, void *name);
};

/// `dladdr`, which the C library declares for GNU's own programs only.
struct resource_library { const char *path; void *base; const char *symbol; void *address; };
extern int resource_find_library(const void *, struct resource_library *) __asm__("dladdr");

/// Returns the address of a function in the libraries that libcurl uses; NULL if they have none.
static inline void *resource_tls_function(void *library, const char *name) {
  return library ? dlsym(library, name) : NULL;
}

static inline struct resource_tls resource_tls_find(void) {
  struct resource_tls tls = {NULL, NULL, NULL, NULL};
  struct resource_library library;
  if (!resource_find_library(curl_version_info(CURLVERSION_NOW), &library)) return tls;
  // The handle is kept, since libcurl stays loaded too.
  void *curl = dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD);
  *(void **)&tls.openssl_has_pending = resource_tls_function(curl, "SSL_has_pending");
  *(void **)&tls.openssl_protocol = resource_tls_function(curl, "SSL_get0_alpn_selected");
  *(void **)&tls.gnutls_pending = resource_tls_function(curl, "gnutls_record_check_pending");
  *(void **)&tls.gnutls_protocol = resource_tls_function(curl, "gnutls_alpn_get_selected_protocol");
  return tls;
}

/// Returns the session of the TLS library for the connection of a transfer; NULL without TLS.
static inline void *resource_tls_session(CURL *easy, curl_sslbackend *backend) {
  struct curl_tlssessioninfo *info = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
  *backend = info->backend;
  return info->internals;
}

/// Returns whether the TLS library holds bytes that nobody has read: 1 if so, 0 if not, and -1 if that isn't known.
static inline int resource_tls_has_pending(struct resource_tls tls, CURL *easy) {
  curl_sslbackend backend = CURLSSLBACKEND_NONE;
  void *session = resource_tls_session(easy, &backend);
  if (!session) return -1;
  if (backend == CURLSSLBACKEND_OPENSSL && tls.openssl_has_pending)
    return tls.openssl_has_pending(session) != 0;
  if (backend == CURLSSLBACKEND_GNUTLS && tls.gnutls_pending)
    return tls.gnutls_pending(session) != 0;
  return -1;
}

/// Returns whether HTTP/2 was negotiated for the connection of a transfer.
static inline int resource_tls_speaks_http2(struct resource_tls tls, CURL *easy) {
  curl_sslbackend backend = CURLSSLBACKEND_NONE;
  void *session = resource_tls_session(easy, &backend);
  const unsigned char *name = NULL;
  unsigned int size = 0;
  if (session && backend == CURLSSLBACKEND_OPENSSL && tls.openssl_protocol)
    tls.openssl_protocol(session, &name, &size);
  if (session && backend == CURLSSLBACKEND_GNUTLS && tls.gnutls_protocol) {
    struct { unsigned char *data; unsigned int size; } datum = {NULL, 0};
    if (tls.gnutls_protocol(session, &datum) == 0) { name = datum.data; size = datum.size; }
  }
  return name && size == 2 && memcmp(name, "h2", 2) == 0;
}

// What the system knows of a TCP connection.

struct resource_tcp_state {
  /// The bytes that were written to it, whether they were sent or not.
  unsigned long long written;
  /// The milliseconds since bytes arrived on it.
  unsigned int silence;
};

/// Returns whether the state is known: not for other sockets, nor before Linux 4.19.
static inline int resource_tcp_state(int socket, struct resource_tcp_state *state) {
  // The kernel's `struct tcp_info` (linux/tcp.h), of which the C library declares less.
  unsigned char info[216];
  socklen_t size = sizeof(info);
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof(info)) return 0;
  unsigned int unsent;
  unsigned long long sent, repeated;
  memcpy(&state->silence, info + 52, sizeof(state->silence));
  memcpy(&unsent, info + 144, sizeof(unsent));
  memcpy(&sent, info + 200, sizeof(sent));
  memcpy(&repeated, info + 208, sizeof(repeated));
  state->written = sent - repeated + unsent;
  return 1;
}

// The multi handle and what easy handles share.

typedef int (*resource_curl_watch)(CURL *, curl_socket_t, int, void *, void *);
typedef int (*resource_curl_schedule)(CURLM *, long, void *);

static inline CURLMcode resource_curl_multi_set_long(
    CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode resource_curl_multi_set_callbacks(
    CURLM *multi, resource_curl_watch watch, resource_curl_schedule schedule, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, schedule);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code;
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

// Hashes by OpenSSL, if libcurl is built with it: OpenSSL's library is in the process then, and is looked up there, since
// the package doesn't link with it. The types are those of OpenSSL's headers (openssl/evp.h).

/// Begins a SHA-2 hash of 256 or 512 bits; NULL if there is no OpenSSL.
static inline void *resource_hash_begin(int bits) {
  void *(*make)(void) = (void *(*)(void))dlsym(NULL, "EVP_MD_CTX_new");
  const void *(*kind)(void) =
      (const void *(*)(void))dlsym(NULL, bits == 512 ? "EVP_sha512" : "EVP_sha256");
  int (*begin)(void *, const void *, void *) =
      (int (*)(void *, const void *, void *))dlsym(NULL, "EVP_DigestInit_ex");
  if (!make || !kind || !begin) return NULL;
  if (!dlsym(NULL, "EVP_DigestUpdate") || !dlsym(NULL, "EVP_DigestFinal_ex")) return NULL;
  void (*release)(void *) = (void (*)(void *))dlsym(NULL, "EVP_MD_CTX_free");
  void *context = release ? make() : NULL;
  if (context && begin(context, kind(), NULL) == 1) return context;
  if (context) release(context);
  return NULL;
}

/// Hashes more bytes. Returns whether that was done.
static inline int resource_hash_update(void *context, const void *bytes, size_t count) {
  int (*update)(void *, const void *, size_t) =
      (int (*)(void *, const void *, size_t))dlsym(NULL, "EVP_DigestUpdate");
  return update(context, bytes, count) == 1;
}

/// Writes the hash, up to 64 bytes, and frees the context. Returns the number of bytes; 0 for a failure.
static inline unsigned int resource_hash_end(void *context, unsigned char *hash) {
  int (*finish)(void *, unsigned char *, unsigned int *) =
      (int (*)(void *, unsigned char *, unsigned int *))dlsym(NULL, "EVP_DigestFinal_ex");
  void (*release)(void *) = (void (*)(void *))dlsym(NULL, "EVP_MD_CTX_free");
  unsigned int count = 0;
  int is_done = finish(context, hash, &count);
  release(context);
  return is_done == 1 ? count : 0;
}

#endif
#endif
