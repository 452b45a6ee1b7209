import ResourceLoading
import ResourcePrimitives

/// The data that tracing systems store with a trace: an ordered list of keys and values (W3C Trace
/// Context section 3.3).
///
/// This library passes it on unchanged.
public struct TraceState: Sendable, Hashable {
  /// A key and its value.
  public struct Member: Sendable, Hashable {
    /// The key, such as `system` or `tenant@system`.
    public let key: String
    /// The value.
    public let value: String
  }

  /// The members, the most recently changed one first.
  public private(set) var members: [Member] = []

  /// The most members of a list.
  public static let maximumCount = 32

  /// Creates an empty list.
  public init() {}

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The first value of a key; `nil` if there is no such member.
  public subscript(key: String) -> String? { members.first { $0.key == key }?.value }

  /// Inserts a member at the front, and removes all others with its key. If there are then too many
  /// members, the last one is removed.
  ///
  /// - Returns: Whether the key and the value are valid. If not, nothing changes.
  @discardableResult
  public mutating func set(_ key: String, to value: String) -> Bool {
    guard Self.isKey(key), Self.isValue(value.utf8) else { return false }
    members.removeAll { $0.key == key }
    members.insert(Member(key: key, value: value), at: 0)
    if members.count > Self.maximumCount { members.removeLast() }
    return true
  }
}

extension TraceState {
  /// Reads the value of `tracestate`, with several fields joined by commas. Empty members are
  /// skipped.
  ///
  /// A key may occur more than once. All of its members are passed on, and the subscript returns
  /// the first one.
  ///
  /// - Returns: `nil` if a key or a value isn't valid, or there are more than 32 members. The whole
  ///   list is then invalid.
  public init?(_ text: String) {
    for part in text.parts(between: ",") {
      let part = String(part).trimmingSpaces()
      guard !part.isEmpty else { continue }
      guard let (key, value) = part.cut(at: "="), members.count < Self.maximumCount,
        Self.isKey(key), Self.isValue(value.utf8)
      else { return nil }
      members.append(Member(key: String(key), value: String(value)))
    }
  }

  /// The value of `tracestate`; `nil` if there are no members.
  ///
  /// If it would be longer than 512 characters, members with more than 128 characters are left out
  /// first, then the last ones (section 3.3.1.5).
  public var headerValue: String? {
    var parts = members.map { "\($0.key)=\($0.value)" }
    var length = parts.reduce(parts.count - 1) { $0 + $1.utf8.count }
    while length > 512 {
      let index = parts.lastIndex { $0.utf8.count > 128 } ?? parts.count - 1
      length -= parts.remove(at: index).utf8.count + 1
    }
    return parts.isEmpty ? nil : parts.joined(separator: ",")
  }
}

extension TraceState: CustomStringConvertible {
  /// The value of `tracestate`; empty if there are no members.
  public var description: String { headerValue ?? "" }
}

extension TraceState {
  /// Returns whether a text is a key (W3C Trace Context level 2, section 3.3.1.3.1). An `@` may be
  /// anywhere except at the beginning.
  private static func isKey(_ key: some StringProtocol) -> Bool {
    guard let first = key.utf8.first, key.utf8.count <= 256, isLetterOrDigit(first) else {
      return false
    }
    return key.utf8.allSatisfy { isLetterOrDigit($0) || "_-*/@".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  /// Returns whether a text is a value: up to 256 visible characters and spaces, without `,` and
  /// `=`, and no space at the end.
  private static func isValue(_ value: some BidirectionalCollection<UInt8>) -> Bool {
    guard let last = value.last, last != 0x20, value.count <= 256 else { return false }
    return value.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
    }
  }
}
