public import Foundation
public import ResourceLoading
public import ResourceOutbox
public import ResourceState

/// The change that a write is expected to make to live resources, as a value that is stored with
/// the write: it is shown until the server has answered, also after a restart.
///
/// ```swift
/// struct SaveNote: DurableChange {
///   var note: Note
///
///   func apply(to changes: inout LiveChanges) {
///     changes.update(.notes) { [note] in
///       $0.removeAll { $0.id == note.id }
///       $0.append(note)
///     }
///   }
/// }
/// ```
///
/// A change may be applied to a value that has it already, because the server may have carried out
/// a write whose answer was lost. So assign or replace; don't count or append.
public protocol DurableChange: Codable, Sendable {
  /// The name by which stored changes are recognised, by default that of the type. It must stay the
  /// same between versions of a program. A stored change whose name isn't known isn't shown, and
  /// its write is sent nonetheless.
  static var name: String { get }

  /// Collects the expected changes.
  @MainActor func apply(to changes: inout LiveChanges)

  /// Collects the changes that follow from the server's answer, such as a new id. They become
  /// permanent together with the expected ones. By default there are none.
  ///
  /// - Throws: An error for an answer that can't be read; the expected changes become permanent
  ///   then.
  @MainActor func confirm(_ answer: Response, in changes: inout LiveChanges) throws
}

extension DurableChange {
  /// The name of the type, without the names of enclosing types.
  public static var name: String { String(describing: Self.self) }

  /// No further changes.
  public func confirm(_ answer: Response, in changes: inout LiveChanges) throws {}
}

/// A durable write that the server has refused, or that may have reached it and can't be repeated.
public struct DurableFailure: Identifiable, Sendable {
  /// The identity of the write.
  public let id: OutboxEntry.ID
  /// The write.
  public let entry: OutboxEntry
  /// The change that it was expected to make.
  public let change: any DurableChange
  /// The reason.
  public let error: LoadError
}

extension DurableFailure: CustomStringConvertible {
  /// The write, without secrets and without its change, and the reason.
  public var description: String { "\(entry): \(error)" }
}

extension DurableFailure: CustomReflectable {
  /// Shows the write and the reason, without secrets; not the change.
  public var customMirror: Mirror {
    Mirror(self, children: ["id": id, "entry": entry, "error": error])
  }
}

/// A change in the form in which it is stored.
struct StoredChange<Change: DurableChange>: Codable {
  /// Identifies the write in the process that adds it, before it has an entry.
  var token: UUID
  var change: Change
}

/// What is read of a stored change without its type.
struct StoredToken: Decodable {
  var token: UUID
}

extension DurableChange {
  static var kind: String { DurableWrites.prefix + name }

  static func stored(in payload: Data) throws -> any DurableChange {
    try JSONDecoder().decode(StoredChange<Self>.self, from: payload).change
  }
}
