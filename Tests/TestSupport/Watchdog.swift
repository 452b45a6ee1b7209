#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ends a process of an exit test that hangs. Such a test waits for its process for ever: neither
/// the time limit of the test nor cancelling reaches it.
package enum Watchdog {
  /// Has the system end this process by `SIGALRM`, unless it ends by itself before.
  ///
  /// - Parameter seconds: Well above what the test takes on a slow machine.
  package static func endsProcess(after seconds: UInt32 = 300) { alarm(seconds) }
}
