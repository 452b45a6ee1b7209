/// What a promise is settled with, whatever the type of its value.
///
/// The value lies in a ``Box``. That costs an allocation, and saves more: a lock over a type without
/// parameters, and state that is freed without looking up generic types at run time.
@usableFromInline
enum Outcome: Sendable {
  case value(any AnyObject & Sendable)
  case failure(any Error)
}

/// A value of a promise. It never changes, so all who see the outcome share it.
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
    switch result {
    case .success(let value): self = .value(Box(value))
    case .failure(let error): self = .failure(error)
    }
  }

  /// Makes the outcome of a closure that may throw.
  @inlinable
  init<Value: Sendable>(catching body: () throws -> Value) {
    do { self = .value(Box(try body())) } catch { self = .failure(error) }
  }

  @inlinable
  func result<Value: Sendable>(of type: Value.Type) -> Result<Value, any Error> {
    switch self {
    case .value(let object): .success(Self.unboxed(object))
    case .failure(let error): .failure(error)
    }
  }

  /// The value, if there is one; its type is that of the promise that the outcome comes from.
  @inlinable
  func get<Value: Sendable>(_ type: Value.Type = Value.self) throws -> Value {
    switch self {
    case .value(let object): return Self.unboxed(object)
    case .failure(let error): throw error
    }
  }

  @inlinable
  static func unboxed<Value: Sendable>(_ object: any AnyObject & Sendable) -> Value {
    guard let box = object as? Box<Value> else {
      preconditionFailure("A promise of \(Value.self) was settled with another type.")
    }
    return box.value
  }

  /// The error of a rejection.
  @usableFromInline var failure: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}
