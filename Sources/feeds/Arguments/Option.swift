import Foundation

/// An option of the command line, and the words behind it, the first of which may be its value.
///
/// Its methods take the value, and throw a `UsageError` if there is none or it is wrong.
struct Option {
  let name: String
  /// The value behind `=`; `nil` if there is none.
  let given: String?
  private(set) var rest: ArraySlice<String>

  init(_ word: String, followedBy rest: ArraySlice<String>) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    (name, given) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    self.rest = rest
  }
}

extension Option {
  /// The value as it is.
  mutating func text() throws(UsageError) -> String {
    guard let text = given ?? rest.popFirst() else { throw UsageError("\(name) needs a value") }
    return text
  }

  /// The path of a file.
  mutating func path() throws(UsageError) -> String {
    try value("the path of a file") { $0.isEmpty ? nil : $0 }
  }

  /// A whole number.
  mutating func number(in range: ClosedRange<Int>) throws(UsageError) -> Int {
    try value("a number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// A number of seconds, fractions too.
  mutating func seconds(in range: ClosedRange<Double>) throws(UsageError) -> Duration {
    let limits = String(format: "seconds from %g to %g", range.lowerBound, range.upperBound)
    return try value(limits) { text in
      Double(text).flatMap { range.contains($0) ? .milliseconds(Int(($0 * 1000).rounded())) : nil }
    }
  }

  private mutating func value<Value>(
    _ kind: String, _ parse: (String) -> Value?
  ) throws(UsageError) -> Value {
    let text = try text()
    guard let value = parse(text) else {
      throw UsageError("\(name) takes \(kind), not \"\(text)\"")
    }
    return value
  }
}
