#ifndef C_RESOURCE_ZLIB_H
#define C_RESOURCE_ZLIB_H

// zlib for Swift: `gzip` and `deflate`, the content codings that responses are decoded from.

#if !__has_include(<zlib.h>)
#error "zlib's headers are missing. On Debian and Ubuntu: apt-get install zlib1g-dev; or build without the trait Curl: swift build --traits URLSession, or traits: [\"URLSession\"] where a package depends on this one"
#else

#include <zlib.h>

#endif
#endif
