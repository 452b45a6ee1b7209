/// What went wrong on the server's side of a test: a system call that failed, or a wait that cannot
/// end because the server has stopped.
public struct LoopbackError: Error, Sendable, Hashable {
  /// What was being done, such as `"bind"`, or the name of a wait.
  public let operation: String

  /// The system's error number (`errno`); `nil` if no system call was involved.
  public let code: Int32?

  /// What happened, in words.
  public let reason: String

  package init(operation: String, code: Int32? = nil, reason: String) {
    self.operation = operation
    self.code = code
    self.reason = reason
  }

  static let stopped = LoopbackError(
    operation: "wait", reason: "the server has stopped before what was waited for came")
}

extension LoopbackError: CustomStringConvertible {
  public var description: String {
    let number = code.map { " (errno \($0))" } ?? ""
    return "loopback server: \(operation): \(reason)\(number)"
  }
}
