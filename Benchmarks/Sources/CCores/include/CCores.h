#pragma once

// Which cores a thread runs on: calls that Swift doesn't see, since they are GNU's own.
//
// On systems other than Linux nothing happens, and there are no cores.

/// The set of cores that the calling thread may run on; at most 64 are told.
unsigned long cores_of_this_thread(void);

/// Lets a thread run on some of the first 64 cores only.
void cores_confine(int thread, unsigned long cores);
