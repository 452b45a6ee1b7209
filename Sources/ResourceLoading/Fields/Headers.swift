import Foundation
import ResourcePrimitives

/// Header fields in order, looked up by name without regard to case (RFC 9110 section 5).
public struct Headers: Sendable, Hashable {
  private var fields: [Field] = []

  /// Creates an empty collection.
  public init() {}

  init(_ fields: [Field]) { self.fields = fields }

  /// Creates fields from a dictionary, sorted by their names.
  ///
  /// - Parameter values: The values by name. Of names that differ in case only, all are fields.
  public init(_ values: [String: String]) {
    fields = values.sorted { $0.key < $1.key }.map { Field(Name(rawValue: $0.key), $0.value) }
  }

  /// One header field.
  public struct Field: Sendable {
    /// The name.
    public var name: Name
    /// The value, as it is sent.
    public var value: String
    /// Whether the field was derived from the resource, and gives way to any that a request, client
    /// or session sets.
    fileprivate(set) var isImplied = false

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value; line breaks and NUL are refused when it is loaded.
    public init(_ name: Name, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a field, `nil` if there is none; several fields of a name are joined by `", "`
  /// (RFC 9110 section 5.3). Setting it replaces all of them; setting `nil` removes them.
  public subscript(name: Name) -> String? {
    get {
      guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
      let others = fields[(first + 1)...].filter { $0.name == name }
      guard !others.isEmpty else { return fields[first].value }
      return ([fields[first]] + others).map(\.value).joined(separator: ", ")
    }
    set {
      guard let newValue else { return fields.removeAll { $0.name == name } }
      guard let first = fields.firstIndex(where: { $0.name == name }) else {
        return fields.append(Field(name, newValue))
      }
      fields[first].value = newValue
      fields[first].isImplied = false
      let kept = fields[...first]
      fields = kept + fields[(first + 1)...].filter { $0.name != name }
    }
  }

  /// The values of all fields with a name, in order.
  public func values(of name: Name) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  /// Appends a field, even if there are others of its name.
  public mutating func append(_ name: Name, _ value: String) {
    fields.append(Field(name, value))
  }
}

extension Headers.Field: Hashable {
  /// Returns whether two fields are equal in name and value, the values byte by byte.
  public static func == (one: Self, other: Self) -> Bool {
    one.name == other.name && one.value.hasSameBytes(as: other.value)
  }

  /// Hashes the name and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(value)
  }
}

extension Headers {
  /// Sets a header that is derived from the resource, such as `Accept` for JSON, unless there is
  /// one of its name. It gives way to any that a request, client or session sets.
  package mutating func imply(_ name: Name, _ value: String) {
    guard !fields.contains(where: { $0.name == name }) else { return }
    var field = Field(name, value)
    field.isImplied = true
    fields.append(field)
  }

  /// Returns whether a header was set, and isn't only implied.
  func hasExplicit(_ name: Name) -> Bool { fields.contains { !$0.isImplied && $0.name == name } }

  /// Removes implied fields whose names were set explicitly, too.
  mutating func removeOverruled() {
    guard fields.contains(where: { $0.isImplied && hasExplicit($0.name) }) else { return }
    let all = self
    fields.removeAll { $0.isImplied && all.hasExplicit($0.name) }
  }
}

extension Headers: RandomAccessCollection {
  /// The position of the first field, 0.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at a 0-based position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension Headers: ExpressibleByDictionaryLiteral {
  /// Creates fields in the order of the literal; a name may be repeated.
  public init(dictionaryLiteral elements: (Name, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }
}

extension Headers {
  /// The name of a header field. An open set; names that differ in case only are equal, and the
  /// spelling is kept for sending.
  public struct Name: RawRepresentable, Sendable, ExpressibleByStringLiteral {
    /// The name in the spelling that is sent.
    public let rawValue: String

    /// Creates a name.
    ///
    /// - Parameter rawValue: A token of RFC 9110 section 5.6.2; anything else is refused when the
    ///   request is loaded.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name from a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
  }
}

extension Headers.Name: Hashable {
  /// Returns whether two names are equal, regardless of ASCII case.
  public static func == (one: Self, other: Self) -> Bool {
    let (one, other) = (one.rawValue, other.rawValue)
    guard one.utf8.count == other.utf8.count else { return false }
    if one == other { return true }
    return zip(one.utf8, other.utf8).allSatisfy { lowercased($0) == lowercased($1) }
  }

  /// Hashes the name without regard to ASCII case.
  public func hash(into hasher: inout Hasher) {
    for byte in rawValue.utf8 { hasher.combine(Self.lowercased(byte)) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

extension Headers.Name: CustomStringConvertible {
  /// The name in the spelling that is sent.
  public var description: String { rawValue }
}

extension Headers {
  /// Removes the headers that another origin doesn't get: all but `others` and those on a list,
  /// because secrets can't be recognised by name alone.
  package mutating func leaveOrigin(with others: Set<Headers.Name>?) {
    fields.removeAll { !$0.name.isForAllOrigins(with: others) }
  }
}

extension Headers.Name {
  /// Returns whether a header may be sent to another origin than its own. `Host` never is, even if
  /// it is among `others`.
  package func isForAllOrigins(with others: Set<Headers.Name>? = nil) -> Bool {
    guard self != .host else { return false }
    return isListed || others?.contains(self) ?? false
  }

  private var isListed: Bool {
    let name = rawValue.lowercased()
    guard !Self.listed.contains(name) else { return true }
    let isDescription = name == "accept" || name.hasPrefix("accept-") || name.hasPrefix("content-")
    return isDescription && !Secrets.isSecret(name: name)
  }

  private static let listed: Set<String> = [
    "user-agent", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
    "if-unmodified-since", "cache-control", "pragma", "expect",
  ]
}

/// A user name and a password for the `Authorization` header (RFC 7617 section 2).
enum BasicCredential {
  /// The value of the header, in UTF-8.
  static func value(user: String, password: String) -> String {
    "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}

extension URLComponents {
  /// The credential of the user info, if there is a user.
  var basicCredential: String? {
    user.map { BasicCredential.value(user: $0, password: password ?? "") }
  }
}

extension URL {
  /// Returns this URL with the user info of another one of the same origin, unless it has its own.
  func completed(byUserInfoOf other: URL) -> URL {
    guard !other.isPlain, isSameOrigin(as: other),
      let others = URLComponents(url: other, resolvingAgainstBaseURL: true),
      var parts = URLComponents(url: self, resolvingAgainstBaseURL: true), parts.user == nil
    else { return self }
    parts.percentEncodedUser = others.percentEncodedUser
    parts.percentEncodedPassword = others.percentEncodedPassword
    return parts.url ?? self
  }
}
