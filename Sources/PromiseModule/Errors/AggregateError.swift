/// The error of a combination in which several promises have failed.
public struct AggregateError: Error, Sendable {
  /// What they failed with, in the order of the inputs, not of the failures. It is empty if there were
  /// no inputs of which one could have been fulfilled.
  public let errors: [any Error]

  /// Gathers errors.
  ///
  /// - Parameter errors: In the order of the inputs.
  public init(_ errors: [any Error]) {
    self.errors = errors
  }
}

extension AggregateError: CustomStringConvertible {
  /// How many there are, and each of them on a line of its own.
  public var description: String {
    guard !errors.isEmpty else { return "There was nothing to wait for." }
    return "\(errors.count) failed:" + errors.map { "\n- \($0)" }.joined()
  }
}
