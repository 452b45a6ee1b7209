/// How a promise is settled, whatever the type of its value.
///
/// A value lies in a box, so that all that handles outcomes is compiled once, and not for each
/// type.
@usableFromInline
enum Outcome: Sendable {
  case fulfilled(any AnyObject & Sendable)
  case rejected(any Error)
}

/// The value of a promise.
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

  /// What a closure returns or throws.
  @inlinable
  init<Value: Sendable>(catching body: () throws -> Value) {
    do { self = .fulfilled(Box(try body())) } catch { self = .rejected(error) }
  }

  /// The value, with the type of the promise it comes from.
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

  /// The error of a promise that is rejected.
  @usableFromInline var error: (any Error)? {
    if case .rejected(let error) = self { error } else { nil }
  }
}

/// Why a promise is settled.
@usableFromInline
enum Cause: Sendable {
  /// A resolver says so, or the work behind the promise. It has no say once the promise is bound.
  case resolution
  /// All parents that are needed have settled.
  case parents
  /// One parent has decided it; the others aren't needed any more.
  case oneParent
  /// Nothing is interested in the promise.
  case cancellation
  /// It would wait for itself.
  case cycle

  /// Whether there may be pending parents, which are to be left. Those of a cycle learn its end by
  /// it.
  var leavesParents: Bool { self == .oneParent || self == .cancellation }
}
