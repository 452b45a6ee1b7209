public import Foundation
public import ResourceLoading
public import ResourceOutbox
public import ResourceStore

/// A model whose rows are synced with a server. Its first key is `id`.
public protocol SyncedModel: StoredModel, Identifiable where ID: Codable & Sendable {}

/// How a collection reads from a server and writes to it.
public struct SyncOptions<Model: SyncedModel>: Sendable {
  /// How rows are pulled; `nil` for a collection that only writes.
  public var pull: SyncPull<Model>?

  /// The request that creates a row. Its JSON answer, if it has one, is the row as the server has
  /// it.
  public var create: (@Sendable (Model) throws -> Request)?

  /// The request that changes a row, with the answer of ``create``.
  public var update: (@Sendable (Model) throws -> Request)?

  /// The request that removes a row. An answer of 404 or 410 means that it is removed.
  public var remove: (@Sendable (Model) throws -> Request)?

  /// Loads one row, to find out what the server has after a conflict; `nil` if its answers to
  /// conflicts have the row, or if the next pull brings it.
  public var fetch: (@Sendable (Model.ID) -> Resource<Model>)?

  /// Reads the row of an answer to ``create`` or ``update``; `nil` for an answer without one. By
  /// default it is the whole JSON document.
  public var answer: (@Sendable (Response) throws -> Model?)?

  /// Where the answer to ``create`` has the id of a model whose ids are `ServerID`.
  public var idSource = OutboxValueSource.json("/id")

  /// The version of a row, by which the server recognises conflicts; `nil` for none.
  public var version: SyncVersion<Model>?

  /// Decides about a row that was changed here and on the server, in the same fields. The result is
  /// sent, `nil` removes the row. It is called on a thread of the background, and may be called
  /// again. Without it, or if it throws, the write is in ``SyncedCollection/failures``.
  public var conflict: (@Sendable (SyncConflict<Model>) async throws -> Model?)?

  /// The columns of this model that hold ids of other collections, of type `ServerID`: they get the
  /// server's ids with those.
  public var references: [String] = []

  /// The keys of rows after which a row is sent, such as those to which it belongs; see
  /// ``SyncedCollection/key(of:)``.
  public var after: @Sendable (Model) -> [OutboxKey] = { _ in [] }

  /// The rows in ``SyncedCollection/elements``.
  public var elements = Selection<Model>()

  /// How often rows are pulled while the collection is in use; `nil` only when asked.
  public var interval: Duration?

  init() {}
}

/// What a conflict is about.
public struct SyncConflict<Model: SyncedModel>: Sendable {
  /// The row as both have known it; `nil` if there was none.
  public let base: Model?
  /// The row as it is shown here; `nil` if it was removed.
  public let mine: Model?
  /// The row as the server has it; `nil` if it was removed.
  public let theirs: Model?
}

/// The version of a row, by which a server recognises that it was changed by somebody else. It is
/// always that of the row which the server has sent last.
public struct SyncVersion<Model: SyncedModel>: Sendable {
  /// The version for `If-Match`.
  let condition: @Sendable (Model) -> String?
  let copy: @Sendable (_ from: Model, _ to: inout Model) -> Void
  let read: @Sendable (Response, inout Model) -> Void

  /// A property that holds the `ETag` of the row. It is sent as `If-Match`, and set by answers that
  /// have one.
  public static func eTag(_ path: any WritableKeyPath<Model, String?> & Sendable) -> Self {
    SyncVersion(
      condition: { $0[keyPath: path] }, copy: { $1[keyPath: path] = $0[keyPath: path] },
      read: { response, model in
        if let tag = response.headers[.eTag] { model[keyPath: path] = tag }
      })
  }

  /// A property that the server reads in the request and sets in its answer, such as a number.
  public static func column<Value>(_ path: any WritableKeyPath<Model, Value> & Sendable) -> Self {
    SyncVersion(
      condition: { _ in nil }, copy: { $1[keyPath: path] = $0[keyPath: path] }, read: { _, _ in })
  }
}

/// How the rows of a collection are pulled, page by page. A pull that ends in the middle, also with
/// the process, goes on where it was.
public struct SyncPull<Model: SyncedModel>: Sendable {
  let isListing: Bool
  let page: @Sendable (SyncPosition) throws -> Resource<SyncPage<Model>>

  /// Each pull lists all rows: those that it doesn't list are removed.
  ///
  /// - Parameter page: Returns the resource of a page.
  public static func listing(
    _ page: @escaping @Sendable (SyncPosition) throws -> Resource<SyncPage<Model>>
  ) -> Self { SyncPull(isListing: true, page: page) }

  /// Each pull has what has changed since the last one. Removed rows are in ``SyncPage/removed``.
  /// If the server has forgotten the cursor (410), everything is listed.
  ///
  /// - Parameter page: Returns the resource of a page.
  public static func changes(
    _ page: @escaping @Sendable (SyncPosition) throws -> Resource<SyncPage<Model>>
  ) -> Self { SyncPull(isListing: false, page: page) }

  /// Each pull lists all rows in one response, an array.
  public static func array(_ resource: Resource<[Model]>) -> Self {
    .listing { _ in resource.map { SyncPage(rows: $0) } }
  }
}

/// What to ask a server for.
public struct SyncPosition: Sendable, Hashable {
  /// The last cursor that the server has given; `nil` before the first pull has ended.
  public let cursor: String?
  /// The ``SyncPage/next`` of the page before; `nil` for the first page.
  public let page: String?
}

/// A page of a pull.
public struct SyncPage<Model: SyncedModel>: Sendable {
  /// The rows that are new or have changed.
  public var rows: [Model]
  /// The ids of rows that were removed.
  public var removed: [Model.ID]
  /// Identifies the next page, such as its number or its URL; `nil` after the last one.
  public var next: String?
  /// The cursor for the next pull; the one of the last page that has one counts.
  public var cursor: String?

  /// Creates a page.
  public init(
    rows: [Model], removed: [Model.ID] = [], next: String? = nil, cursor: String? = nil
  ) {
    (self.rows, self.removed, self.next, self.cursor) = (rows, removed, next, cursor)
  }
}

/// A write that the server has refused, that conflicts with what the server has, or that may have
/// reached it and can't be repeated.
public struct SyncFailure<Model: SyncedModel>: Identifiable, Sendable {
  /// The identity of the write.
  public let id: OutboxEntry.ID
  /// The id of the row.
  public let rowID: Model.ID
  /// The row, as it is shown here and as the server had it.
  public let conflict: SyncConflict<Model>
  /// The reason; of kind `conflict` or `status`, for example.
  public let error: LoadError
  let key: OutboxKey
  /// What the server has, as far as that is known.
  let known: Model??
  let isConflict: Bool
}

extension LoadError.Kind {
  /// A row was changed here and on the server, and nobody has decided which one counts.
  public static let conflict = LoadError.Kind(rawValue: "conflict")
}
