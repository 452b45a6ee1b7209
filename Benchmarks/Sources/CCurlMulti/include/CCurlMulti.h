#pragma once

// libcurl's multi interface as one drives it by hand in C, without anything above it.

/// Loads a URL so many times, so many at once, with a handle of its own for each, as a client that takes no chances does.
///
/// Returns how many bytes came in all, or -1 if a load failed.
long curl_multi_loads(const char *url, int count, int width);
