#pragma once

/// Stores a value of a size, and reads it a number of times, as a program in C does. Returns the seconds that the reads
/// took; negative if one failed.
double bare_gets(const char *path, long size, long count);
