package import ResourceLoading
import ResourcePrimitives

/// The single range of bytes that a request asks for (RFC 9110 section 14.1.2).
package enum RequestedRange: Sendable, Hashable {
  /// From one position to another, which is included, or to the end.
  case positions(Int, through: Int?)
  /// The last bytes.
  case suffix(Int)
}

extension RequestedRange {
  /// Reads a `Range` field; `nil` if it doesn't contain exactly one range of bytes.
  package init?(_ headers: Headers) {
    let fields = headers.values(of: .range)
    guard fields.count == 1, let (unit, range) = fields[0].cut(at: "="),
      unit.trimmingSpaces().lowercased() == "bytes", let ends = range.cut(at: "-")
    else { return nil }
    let (first, last) = (ends.before.trimmingSpaces(), ends.behind.trimmingSpaces())
    guard first.isEmpty || first.hasOnlyDigits, last.isEmpty || last.hasOnlyDigits else {
      return nil
    }
    switch (Int(first), Int(last)) {
    case (let first?, nil) where last.isEmpty: self = .positions(first, through: nil)
    case (let first?, let last?) where first <= last: self = .positions(first, through: last)
    case (nil, let count?) where first.isEmpty: self = .suffix(count)
    default: return nil
    }
  }

  /// The value of a `Range` field.
  var field: String {
    switch self {
    case .positions(let first, let last): "bytes=\(first)-\(last.map { "\($0)" } ?? "")"
    case .suffix(let count): "bytes=-\(count)"
    }
  }

  /// Returns the positions in a representation of a length, which may be unknown; `nil` if there
  /// are none, or they depend on the unknown length.
  func positions(of total: Int?) -> Range<Int>? {
    switch self {
    case .positions(let first, let last?):
      let end = min(last, (total ?? .max) - 1) + 1
      return first < end ? first..<end : nil
    case .positions(let first, nil):
      return total.flatMap { first < $0 ? first..<$0 : nil }
    case .suffix(let count):
      return total.flatMap { $0 > 0 && count > 0 ? max(0, $0 - count)..<$0 : nil }
    }
  }
}
