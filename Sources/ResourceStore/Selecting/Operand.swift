internal import Foundation
internal import ResourceLoading

/// A value in a condition or an assignment: encoded as a row's would be, or the reason why it can't be.
///
/// An operator can't throw, so the error waits until the condition is used.
enum Operand: Sendable, Hashable {
  case value(StoredValue)
  /// NaN, which conditions treat as Swift does, though a column keeps it as a text.
  case notANumber
  case invalid(String)

  init(_ value: some Encodable) {
    do {
      let stored = try StoredValue(encoding: value)
      self = stored == .text("nan") && Self.isNaN(value) ? .notANumber : .value(stored)
    } catch {
      self = .invalid("\(error)")
    }
  }

  private static func isNaN(_ value: some Encodable) -> Bool {
    if let date = value as? Date { return date.timeIntervalSinceReferenceDate.isNaN }
    return (value as? any FloatingPoint)?.isNaN ?? false
  }
}

extension Operand {
  /// The value as a column keeps it.
  ///
  /// - Throws: A `LoadError` of kind `store` where the value couldn't be encoded.
  var stored: StoredValue {
    get throws {
      switch self {
      case .value(let value): return value
      case .notANumber: return StoredValue(Double.nan)
      case .invalid(let reason):
        throw LoadError(.store, "a value can't be kept in a column: \(reason)")
      }
    }
  }

  /// What of it the text of a statement depends on.
  enum Shape: Hashable { case null, real, other, notANumber, invalid }

  var shape: Shape {
    switch self {
    case .value(.null): .null
    case .value(.real): .real
    case .value: .other
    case .notANumber: .notANumber
    case .invalid: .invalid
    }
  }
}
