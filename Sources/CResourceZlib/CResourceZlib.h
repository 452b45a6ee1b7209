#ifndef C_RESOURCE_ZLIB_H
#define C_RESOURCE_ZLIB_H

// zlib for Swift: `gzip` and `deflate`, the content codings that responses are decoded from.

#if !__has_include(<zlib.h>)
#error "zlib's headers are missing. On Debian and Ubuntu: apt-get install zlib1g-dev; or build without the trait Curl: swift build --traits URLSession,XML, or traits: [\"URLSession\", \"XML\"] where a package depends on this one"
#else

#include <zlib.h>
#include <stddef.h>

// The buffers of zstd's streaming functions, by its stable interface since version 1.0. Its headers
// aren't needed, because the library is loaded at run time.
typedef struct {
  const void *bytes;
  size_t size;
  size_t position;
} resource_zstd_input;

typedef struct {
  void *bytes;
  size_t size;
  size_t position;
} resource_zstd_output;

#endif
#endif
