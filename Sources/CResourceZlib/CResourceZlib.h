#ifndef C_RESOURCE_ZLIB_H
#define C_RESOURCE_ZLIB_H

// zlib for Swift: `gzip` and `deflate`, the content codings that responses are decoded from.

#include <zlib.h>

#endif
