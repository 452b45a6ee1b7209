#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own `main` (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).
int LLVMFuzzerRunDriver(int *argc, char ***argv,
                        int (*run)(const uint8_t *bytes, size_t count));

/// Starts to count the bytes that are allocated from now on.
void memory_begin(void);

/// The most bytes that were allocated at once since the count began, beyond those of its beginning.
long memory_peak(void);

/// The processor time that this thread has used, in nanoseconds.
long long thread_time(void);
