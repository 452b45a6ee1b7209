#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ends a process of an exit test that hangs. Such a test would wait forever, because neither its
/// time limit nor cancellation reaches the process.
package enum Watchdog {
  /// Ends this process by `SIGALRM` after some seconds, many more than the test takes on a slow
  /// machine.
  package static func endsProcess(after seconds: UInt32 = 300) { alarm(seconds) }
}
