/// How a promise is settled, whatever the type of its value.
///
/// Values are boxed, so the code that handles outcomes is compiled once and not for each type.
@usableFromInline
enum Outcome: Sendable {
  case fulfilled(any AnyObject & Sendable)
  case rejected(any Error)
}

@usableFromInline
final class Box<Value: Sendable>: Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
  }
}

extension Outcome {
  @inlinable
  init<Value: Sendable>(_ result: Result<Value, any Error>) {
    self.init { try result.get() }
  }

  @inlinable
  init<Value: Sendable>(catching body: () throws -> Value) {
    do { self = .fulfilled(Box(try body())) } catch { self = .rejected(error) }
  }

  @inlinable
  func value<Value: Sendable>(as type: Value.Type = Value.self) throws -> Value {
    switch self {
    case .fulfilled(let box as Box<Value>): return box.value
    case .fulfilled: preconditionFailure("An outcome was read as \(Value.self), which it isn't.")
    case .rejected(let error): throw error
    }
  }

  @inlinable
  func result<Value: Sendable>(of type: Value.Type = Value.self) -> Result<Value, any Error> {
    Result { try value() }
  }

  @usableFromInline var error: (any Error)? {
    if case .rejected(let error) = self { error } else { nil }
  }
}

/// Why a promise is settled.
@usableFromInline
enum Cause: Sendable {
  /// A resolver, or the work behind the promise. It is ignored once the promise is bound.
  case resolution
  /// All parents that are needed have settled.
  case parents
  /// One parent has decided the outcome; the others are no longer needed.
  case oneParent
  /// The promise was cancelled, or nothing is interested in it.
  case cancellation
  /// The promise would wait for itself.
  case cycle

  /// Whether pending parents have to be left. In a cycle they are settled by this promise.
  var leavesParents: Bool { self == .oneParent || self == .cancellation }
}
