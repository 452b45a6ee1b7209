public import ResourceLoading
import ResourcePrimitives

/// Names and values that a program sends with a trace to all of its services (W3C Baggage).
///
/// It is sent only if the middleware is configured to do so, because every server that gets a
/// request can read it.
///
/// ```swift
/// let baggage: Baggage = ["tenant": "blue"]
/// let user = try await Baggage.$current.withValue(baggage) {
///   try await client.load(.user("octocat"))
/// }
/// ```
public struct Baggage: Sendable, Hashable {
  /// A name and its value.
  public struct Member: Sendable, Hashable {
    /// The name, a token.
    public let name: String
    /// The value, unescaped.
    public let value: String
    /// The properties of the value in order, as they are sent, such as `ttl=5` or `secret`.
    public let properties: [String]
  }

  /// The members in order.
  public private(set) var members: [Member] = []

  /// The baggage of the current task.
  @TaskLocal public static var current = Baggage()

  /// The most members that are kept. The recommendation requires at least 64.
  public static let maximumCount = 180

  /// The maximum size of the header in bytes.
  public static let maximumSize = 8192

  /// Creates an empty baggage.
  public init() {}

  /// Whether there are no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The value of a name; `nil` if there is none. Setting it replaces the member, and `nil` removes
  /// it. Setting a name that isn't a token, or a member beyond ``maximumCount``, has no effect.
  public subscript(name: String) -> String? {
    get { members.first { $0.name == name }?.value }
    set {
      let place = members.firstIndex { $0.name == name }
      guard let newValue, name.isToken else {
        if let place { members.remove(at: place) }
        return
      }
      let member = Member(name: name, value: newValue, properties: [])
      if let place {
        members[place] = member
      } else if members.count < Self.maximumCount {
        members.append(member)
      }
    }
  }
}

extension Baggage: ExpressibleByDictionaryLiteral {
  /// Creates a baggage from names and values. If a name occurs twice, the last value is used.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { self[name] = value }
  }
}

extension Baggage {
  /// Reads the baggage of a received request.
  ///
  /// - Parameter headers: The headers of the request. Invalid members and those beyond the limits
  ///   are ignored.
  public init(headers: Headers) {
    self.init(headers[.baggage] ?? "")
  }

  /// Reads the value of `baggage`.
  ///
  /// - Parameter text: The value, with several fields joined by commas. Invalid members and those
  ///   beyond the limits are ignored. If a name occurs twice, the last value is used.
  public init(_ text: String) {
    var size = 0
    for part in text.parts(between: ",") {
      size += part.utf8.count + 1
      guard size <= Self.maximumSize + 1 else { break }
      guard let member = Member(part) else { continue }
      if let place = members.firstIndex(where: { $0.name == member.name }) {
        members[place] = member
      } else if members.count < Self.maximumCount {
        members.append(member)
      }
    }
  }

  /// The value of `baggage`; `nil` if there is nothing to send. Members that would exceed the
  /// maximum size are left out.
  public var headerValue: String? {
    var text = ""
    for member in members {
      let part = member.text
      let longer = text.isEmpty ? part : text + "," + part
      if longer.utf8.count <= Self.maximumSize { text = longer }
    }
    return text.isEmpty ? nil : text
  }

  /// Returns whether a value may contain a byte without an escape (W3C Baggage section 3.3.1).
  fileprivate static func isPlain(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"\",;\\".utf8.contains(byte)
  }
}

extension Baggage.Member {
  /// Reads a member and its properties; `nil` if it isn't valid.
  fileprivate init?(_ text: Substring) {
    let parts = String(text).parts(between: ";").map { String($0).trimmingSpaces() }
    guard let (name, value) = parts.first?.cut(at: "=") else { return nil }
    let (key, plain) = (String(name).trimmingSpaces(), String(value).trimmingSpaces())
    guard key.isToken, plain.utf8.allSatisfy(Baggage.isPlain) else { return nil }
    let properties = parts.dropFirst().filter { property in
      let (key, value) = property.cut(at: "=") ?? (property[...], "")
      return key.trimmingSpaces().isToken
        && String(value).trimmingSpaces().utf8.allSatisfy(Baggage.isPlain)
    }
    self.init(name: key, value: plain.withoutPercentEscapes, properties: properties)
  }

  fileprivate var text: String {
    ([name + "=" + Self.encoding.encode(value)] + properties).joined(separator: ";")
  }

  /// Keeps the characters of a value (W3C Baggage section 3.3.1), except `%`.
  private static let encoding = PercentEncoding(keeping: "!#$&'()*+-./:<=>?@[]^_`{|}~")
}
