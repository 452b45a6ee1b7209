/// An error of a system call.
package struct SystemCallError: Error, Hashable {
  /// The name of the call, such as `bind`.
  package let call: String
  /// The system's error number (`errno`).
  package let code: Int32
  /// The system's text for the number.
  package let reason: String
}

/// A loopback interface.
package enum LoopbackFamily: Sendable {
  /// `127.0.0.1`
  case ipv4
  /// `::1`
  case ipv6
}
