internal import ResourceLoading

/// A value in a condition or an assignment: encoded as a row's would be, or the reason why it can't be.
///
/// An operator can't throw, so the error waits until the condition is used.
public struct Operand: Sendable, Hashable {
  private let result: Result<StoredValue, Failure>

  private struct Failure: Error, Hashable { var reason: String }

  init(_ value: some Encodable) {
    result = Result { try StoredValue(encoding: value) }.mapError { Failure(reason: "\($0)") }
  }

  /// The value as a column keeps it.
  ///
  /// - Throws: A `LoadError` of kind `store` where the value couldn't be encoded.
  public var stored: StoredValue {
    get throws {
      do { return try result.get() } catch {
        throw LoadError(.store, "a value can't be kept in a column: \(error.reason)")
      }
    }
  }
}
