import Foundation
import ResourceOutbox

/// An id that the server gives: a number or a text. Until it has given one, the id is known to this
/// file only.
///
/// A row that is created on a device begins with `ServerID()`. Requests may contain it, also those
/// of other collections: they wait for the server's answer, and are sent with its id. In the
/// request that creates the row it is `null`.
public struct ServerID: Hashable, Sendable {
  private enum Content: Hashable {
    case number(Int64)
    case text(String)
    case local(OutboxPlaceholder)
    /// That of a row in the request that creates it.
    case none
  }

  private let content: Content

  /// Creates the id of a row that the server doesn't have yet.
  public init() { content = .local(OutboxPlaceholder()) }

  /// Creates an id that the server has given.
  public init(_ number: Int64) { content = .number(number) }

  /// Creates an id that the server has given, or reads one from its ``description``.
  public init(_ text: String) {
    let prefix = "outbox-placeholder-"
    let id = text.hasPrefix(prefix) ? UUID(uuidString: String(text.dropFirst(prefix.count))) : nil
    content = id.map { .local(OutboxPlaceholder($0)) } ?? .text(text)
  }

  /// The id in the request that creates a row, where it is `null`.
  static let none = ServerID(content: .none)

  private init(content: Content) { self.content = content }

  /// Whether the server hasn't given the id yet.
  public var isLocal: Bool { placeholder != nil }

  /// What stands for the id in requests; `nil` for one that the server has given.
  var placeholder: OutboxPlaceholder? {
    if case .local(let placeholder) = content { placeholder } else { nil }
  }
}

extension ServerID: CustomStringConvertible {
  /// The id as it stands in a path.
  public var description: String {
    switch content {
    case .number(let number): "\(number)"
    case .text(let text): text
    case .local(let placeholder): "\(placeholder)"
    case .none: ""
    }
  }
}

extension ServerID: Codable {
  /// Reads a number or a text.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .none
    } else if let number = try? container.decode(Int64.self) {
      self.init(number)
    } else {
      self.init(try container.decode(String.self))
    }
  }

  /// Writes a number or a text.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch content {
    case .number(let number): try container.encode(number)
    case .text, .local: try container.encode(description)
    case .none: try container.encodeNil()
    }
  }
}

extension ServerID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// Creates an id that the server has given.
  public init(integerLiteral value: Int64) { self.init(value) }

  /// Creates an id that the server has given.
  public init(stringLiteral value: String) { self.init(value) }
}
