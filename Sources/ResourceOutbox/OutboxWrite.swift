public import Foundation
import ResourceJSON
public import ResourceLoading
import ResourceStore

/// A write to be added to an ``Outbox``: its request, and how it belongs to others.
public struct OutboxWrite: Sendable {
  /// The request to send. Headers that hold secrets, such as `Authorization` and `Cookie`, aren't
  /// stored: the client adds them when the request is sent.
  ///
  /// `Request.Options.isIdempotent` says whether it may be sent again if its outcome is unknown;
  /// `nil` leaves that to the method and to ``OutboxSettings/serverHonoursIdempotencyKeys``.
  public var request: Request

  /// Identifies the thing that the write changes: entries with one key are sent one after another.
  public var key: OutboxKey

  /// Further keys: it is sent after all entries that these have now.
  public var after: [OutboxKey] = []

  /// How earlier entries of the key are treated.
  public var compaction = OutboxCompaction.none

  /// Whether the write creates the thing that its key identifies, so that there is nothing to
  /// delete on the server until it is sent. ``OutboxCompaction/cancelling`` then removes it
  /// together with the deletion.
  public var isCreation = false

  /// The placeholders whose values are in the answer.
  public var placeholders: [OutboxPlaceholder: OutboxValueSource] = [:]

  /// How files in the body are kept.
  public var files = OutboxFiles.copied

  /// The names of headers and query items that are stored although they are those of credentials,
  /// such as a `token` that isn't a credential.
  public var publicNames: Set<String> = []

  /// Anything that belongs to the write, such as the optimistic change that a user sees until it is
  /// answered. It is stored as it is; see ``attach(_:)``.
  public var payload: Data?

  /// The name by which another module recognises its entries; see ``Outbox/handle(_:_:)``.
  package var kind: String?

  /// Whether it is sent only where a handler of its kind is registered, so that its outcome is never
  /// learned of later, and out of order.
  package var needsHandler = false

  package init(_ request: Request, as key: OutboxKey) {
    self.request = request
    self.key = key
  }
}

extension OutboxWrite {
  /// Attaches a value as JSON, for ``OutboxEntry/payload(as:)``.
  ///
  /// - Throws: What encoding throws.
  public mutating func attach(_ value: some Encodable) throws {
    payload = try JSONWriter().encode(value)
  }
}

/// How earlier entries of a key are treated when another one is added. Entries whose request may
/// have reached the server are never touched.
public enum OutboxCompaction: Sendable, Hashable {
  /// Each is sent.
  case none

  /// The new entry takes the place of the last one, if that has the same method and target. For
  /// edits that send the whole thing: what the last one would have sent isn't sent.
  case replacing

  /// The last ones are removed. The new entry isn't sent either if the server can't have what it
  /// deletes: no entry of the key is left, and one that was removed is the
  /// ``OutboxWrite/isCreation``, or would have given a placeholder that the new entry contains. For
  /// deletions.
  case cancelling
}

/// How files in the body of a stored request are kept.
public enum OutboxFiles: Sendable, Hashable {
  /// They are copied beside the database when the entry is added, and the copies removed with it.
  case copied

  /// They are read where they are when the entry is sent, and must stay as they are until then.
  case referenced
}

/// Identifies the thing that an entry of an ``Outbox`` changes, such as one note. Entries with one
/// key are sent one after another, in the order in which they were added; different keys go in
/// parallel.
///
/// ```swift
/// extension OutboxKey {
///   static func note(_ id: UUID) -> OutboxKey { "note \(id)" }
/// }
/// ```
public struct OutboxKey: RawRepresentable, Hashable, Sendable {
  /// The text that identifies the key in the database.
  public let rawValue: String

  /// Creates a key.
  ///
  /// - Parameter rawValue: Any text. It is stored as it is: it must not hold a secret.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension OutboxKey: ExpressibleByStringInterpolation {
  /// Creates a key from a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension OutboxKey: CustomStringConvertible {
  /// The text of the key.
  public var description: String { rawValue }
}
