#pragma once

// Counts what a program allocates. An executable that links this target has its malloc, calloc,
// realloc and free replaced by ones that count between begin and end, on all threads. At other times
// they cost a call about a nanosecond.
//
// On systems other than Linux all counts are 0.

/// What was counted.
typedef struct {
  /// How many blocks have been allocated.
  long count;
  /// By how many bytes more are allocated now, the allocator's own words included.
  long live;
  /// By how many bytes more were allocated at the worst moment.
  long peak;
} allocations;

/// Begins to count, from zero.
void allocations_begin(void);

/// Ends counting.
allocations allocations_end(void);

/// Gives memory that has been freed back to the system.
void allocations_trim(void);
