public import Foundation
public import ResourceLoading
import ResourcePrimitives
import ResourceStore

/// A write that is stored in an ``Outbox``.
public struct OutboxEntry: Identifiable, Sendable {
  /// The identity of an entry.
  public typealias ID = UUID

  /// The identity, which is the `Idempotency-Key` as well, unless the request brought its own.
  public let id: UUID

  /// The key, which identifies the thing that the write changes.
  public let key: OutboxKey

  /// The method of the request.
  public let method: Request.Method

  /// The URL of the request, or its path below the client's base URL, with the query.
  public let target: String

  /// The state of the entry.
  public internal(set) var state: State

  /// Whether it, or its key, is paused.
  public let isPaused: Bool

  /// Whether it waits for other entries.
  public let isBlocked: Bool

  /// The number of times that it was sent.
  public internal(set) var attempts: Int

  /// When it was added.
  public let added: Date

  /// When it may be sent, if it isn't paused and waits for no other entry.
  public internal(set) var due: Date

  /// The error of the last attempt that failed; `nil` before the first failure.
  public internal(set) var error: LoadError?

  /// The data that was attached to the write; `nil` if there was none.
  public let payload: Data?

  /// The name by which another module recognises the entry; `nil` for all others.
  package let kind: String?

  /// The position in the order of adding.
  package let number: Int64

  /// Whether an attempt may have reached the server.
  package let hasBegun: Bool

  /// Whether it may be sent again if the outcome of an attempt is unknown.
  let mayRepeat: Bool

  /// Whether its row is damaged.
  let isDamaged: Bool
}

extension OutboxEntry {
  /// The state of an entry.
  public enum State: Int, Sendable, Hashable, CaseIterable {
    /// It waits to be sent, or to be sent again.
    case waiting = 0
    /// It is being sent, by this process or by another one.
    case sending = 1
    /// The server or the library refused it. It waits to be corrected, retried or dropped.
    case parked = 2
    /// It may have reached the server, and must not be sent twice. ``OutboxSettings/checkDelivery``
    /// is asked; without an answer it waits to be retried or dropped.
    case uncertain = 3
  }

  /// Decodes the value that was attached to the write.
  ///
  /// - Returns: The value; `nil` if nothing was attached.
  /// - Throws: `DecodingError` if it is of another type.
  public func payload<T: Decodable>(as type: T.Type) throws -> T? {
    try payload.map { try JSONDecoder().decode(type, from: $0) }
  }
}

extension OutboxEntry: CustomStringConvertible {
  /// The state, the method and the target without secrets.
  public var description: String {
    "\(state) \(method) \(target.redactedURL().printable), \(attempts) attempts"
  }
}

extension OutboxEntry: CustomReflectable {
  /// Shows the entry in a line, its key and its error, without secrets; not its payload.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "entry": description, "id": id, "key": key, "added": added, "due": due,
        "isPaused": isPaused, "isBlocked": isBlocked, "error": error as Any,
      ])
  }
}

/// The outcome of an entry that was removed.
public enum OutboxOutcome: Sendable {
  /// The server accepted it.
  case answered(Response)
  /// It became older than ``OutboxSettings/maximumAge``; with the last error.
  case givenUp(LoadError)
  /// It was dropped, or a later entry cancelled it.
  case dropped
}

/// An event of an entry in this process.
public enum OutboxEvent: Sendable {
  /// It is being sent.
  case sending(OutboxEntry)
  /// It failed and will be sent again at ``OutboxEntry/due``.
  case waiting(OutboxEntry, LoadError)
  /// The server or the library refused it; see ``OutboxEntry/State/parked``.
  case parked(OutboxEntry, LoadError)
  /// It may have reached the server; see ``OutboxEntry/State/uncertain``.
  case uncertain(OutboxEntry, LoadError)
  /// It was removed.
  case removed(OutboxEntry, OutboxOutcome)
  /// The database or a file can't be used. The outbox tries again.
  case failed(LoadError)
}

/// The answer of a program that has checked whether the server has an uncertain write.
public enum OutboxDelivery: Sendable {
  /// The server has it: it counts as answered by this response.
  case received(Response)
  /// The server doesn't have it: it is sent again.
  case notReceived
  /// That can't be determined: it stays ``OutboxEntry/State/uncertain`` until the user decides.
  case unknown
}

extension LoadError.Kind {
  /// An ``Outbox`` couldn't do what was requested, for example because an entry is gone.
  public static let outbox = LoadError.Kind(rawValue: "outbox")
}
