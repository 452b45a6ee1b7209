import ResourcePrimitives

/// An error of the server of a test: a system call failed, or a wait can't succeed because the
/// server has stopped.
public struct LoopbackError: Error, Sendable, Hashable {
  /// The operation that failed, such as `"bind"` or `"wait"`.
  public let operation: String

  /// The system's error number (`errno`); `nil` if no system call failed.
  public let code: Int32?

  /// A description of the error.
  public let reason: String

  package init(operation: String, code: Int32? = nil, reason: String) {
    self.operation = operation
    self.code = code
    self.reason = reason
  }

  static let stopped = LoopbackError(
    operation: "wait", reason: "the server stopped before the awaited event happened")
}

extension LoopbackError {
  /// Returns the result of a closure. Errors of system calls are thrown as errors of this type.
  static func converting<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let error as SystemCallError {
      throw LoopbackError(operation: error.call, code: error.code, reason: error.reason)
    }
  }
}

extension LoopbackError: CustomStringConvertible {
  /// The operation, the reason and the error number.
  public var description: String {
    let number = code.map { " (errno \($0))" } ?? ""
    return "loopback server: \(operation): \(reason)\(number)"
  }
}

/// A loopback interface.
@nonexhaustive
public enum LoopbackAddress: Sendable, Hashable {
  /// `127.0.0.1`
  case ipv4
  /// `::1`
  case ipv6
}

extension LoopbackAddress {
  var family: LoopbackFamily { self == .ipv4 ? .ipv4 : .ipv6 }
}
