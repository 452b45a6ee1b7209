import Foundation
package import ResourceJSON

/// What decoding a document came to.
package enum JSONOutcome<Value> {
  case value(Value)
  case failure(any Error)

  package init(_ body: () throws -> Value) {
    do { self = .value(try body()) } catch { self = .failure(error) }
  }
}

extension JSONOutcome {
  package func get() throws -> Value {
    switch self {
    case .value(let value): return value
    case .failure(let error): throw error
    }
  }

  package var error: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }

  /// Why the text isn't JSON, if that is the error.
  package var syntax: JSONSyntaxError? { error.flatMap { JSONSyntaxError(under: $0) } }

  /// Claims that the error, if there is one, has a place in the document.
  package func checkPlace(in payload: [UInt8]) {
    guard let error else { return }
    guard let place = JSONPosition(of: error) else { return claim(false, "no place: \(error)") }
    claim(place.offset <= payload.count, "a place behind the end: \(place)")
    claim(place.line > 0 && place.column > 0, "no place: \(place)")
    claim(place.column <= payload.count + 1, "a column behind the end: \(place)")
    claim(place.line <= payload.count { $0 == 0x0A } + 1, "a line behind the last: \(place)")
  }
}

extension JSONOutcome where Value: Equatable {
  /// Claims that this is what Foundation came to, or differs in a way that is known.
  package func check(beside foundation: JSONOutcome, _ payload: [UInt8]) {
    switch (self, foundation) {
    case (.value(let ours), .value(let foundation)):
      claim(ours == foundation, "\(ours) instead of \(foundation)")
    case (.failure(let error), .value(let foundation)):
      claim(error.isKnown(in: payload), "\(error) instead of \(foundation)")
    case (.value(let ours), .failure(let error)):
      claim(false, "\(ours) instead of \(error)")
    case (.failure(let ours), .failure(let foundation)):
      // What isn't JSON may be found late by Foundation, behind a value of the wrong type.
      guard syntax == nil else { return }
      claim(ours.kind == foundation.kind, "\(ours) instead of \(foundation)")
    }
  }

  /// Claims that another way to the same came to the same: the value, or the error with its path
  /// and its place.
  package func check(equals other: JSONOutcome) {
    switch (self, other) {
    case (.value(let one), .value(let other)): claim(one == other, "\(one) and \(other)")
    case (.failure(let one), .failure(let other)):
      claim(one.kind == other.kind, "\(one) and \(other)")
      claim(JSONPosition(of: one) == JSONPosition(of: other), "\(one) and \(other)")
    default: claim(false, "\(self) and \(other)")
    }
  }
}

extension JSONOutcome {
  /// Whether a document has nothing of which is known that Foundation takes it otherwise: zeros
  /// with an exponent; UTF-16 and UTF-32, whose marks it judges in another way.
  package static func isComparable(_ payload: [UInt8]) -> Bool {
    guard let first = payload.first, first < 0xFE, !payload.prefix(4).contains(0) else {
      return false
    }
    return !payload.indices.contains { isZeroExponent(at: $0, payload) }
  }

  private static func isZeroExponent(at index: Int, _ payload: [UInt8]) -> Bool {
    guard payload[index] | 0x20 == UInt8(ascii: "e"), index > 0 else { return false }
    let digits = payload[..<index].reversed()
    guard digits.first == UInt8(ascii: "0") else { return false }
    let before = digits.drop { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }.first
    return !(before.map { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } ?? false)
  }
}

extension JSONSyntaxError {
  fileprivate init?(under error: any Error) {
    guard case .dataCorrupted(let context)? = error as? DecodingError,
      let syntax = context.underlyingError as? JSONSyntaxError
    else { return nil }
    self = syntax
  }
}

extension Error {
  /// Whether this is one of the errors that `JSONDecoder` lets pass: a comma behind the last value,
  /// or a mistake in what no type asks for, which `JSONSerialization` finds.
  fileprivate func isKnown(in payload: [UInt8]) -> Bool {
    guard let syntax = JSONSyntaxError(under: self) else { return false }
    if syntax.reason.hasPrefix("a comma has no") { return true }
    let any = try? JSONSerialization.jsonObject(with: Data(payload), options: .fragmentsAllowed)
    return any == nil
  }

  /// The case of the error, and the type of which it speaks.
  fileprivate var kind: String {
    switch self as? DecodingError {
    case .typeMismatch(let type, _): "typeMismatch \(type)"
    case .valueNotFound(let type, _): "valueNotFound \(type)"
    case .keyNotFound(let key, _): "keyNotFound \(key.stringValue)"
    case .dataCorrupted: "dataCorrupted"
    default: "other"
    }
  }
}
