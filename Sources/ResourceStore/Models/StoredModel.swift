/// A type whose values are rows of a table.
///
/// Its coding keys are the columns. Numbers, texts, dates, URLs, UUIDs and data are stored in a form of their own;
/// other values, such as arrays and structures, as JSON. The table is created with the first row, and gains a column as
/// soon as a row has a new key; columns are never dropped.
///
/// ```swift
/// struct Story: StoredModel, Identifiable {
///   var id: String
///   var title: String
///   var posted: Date?
///   var isRead = false
/// }
///
/// extension Story {
///   static let posted = Column(CodingKeys.posted, \Story.posted)
///   static let isRead = Column(CodingKeys.isRead, \Story.isRead)
/// }
/// ```
///
/// `encode(to:)` must write keys with one value each; nested containers and superclasses are errors.
public protocol StoredModel: Codable, Sendable {
  /// The name of the table, by default the name of the type. Two models with the same name need two tables; see
  /// <doc:KeepingModels>.
  static var table: String { get }

  /// The unique keys, in which `nil` is a value like others. `update`, `delete` and `upsert` find rows by the first
  /// one. The default is the column `id` for an `Identifiable` model, and no key for others.
  ///
  /// A key can be added to a model as long as no two rows have the same; a key that is removed from a model stays in
  /// tables that were created with it.
  static var keys: [ModelKey<Self>] { get }

  /// The columns, one or several at a time, by which rows are often looked up or sorted.
  static var indices: [ModelKey<Self>] { get }
}

extension StoredModel {
  /// The name of the type, without the names of enclosing types.
  public static var table: String { String(describing: Self.self) }

  /// No keys.
  public static var keys: [ModelKey<Self>] { [] }

  /// No indices.
  public static var indices: [ModelKey<Self>] { [] }
}

extension StoredModel where Self: Identifiable {
  /// The column `id`.
  public static var keys: [ModelKey<Self>] { [ModelKey(Self.id)] }

  /// The column `id`.
  public static var id: Column<Self, ID> { Column(name: "id") }
}

/// Columns of a model that together identify a row, or by which rows are looked up.
///
/// ```swift
/// static let keys = [ModelKey(Vote.user, Vote.item)]
/// ```
public struct ModelKey<M: StoredModel>: Sendable, Hashable {
  /// The names of the columns, in the order in which an index sorts them.
  public let columns: [String]

  /// Creates a key of columns, which may have different types.
  public init<each Value>(_ column: repeat Column<M, each Value>) {
    var names: [String] = []
    repeat names.append((each column).name)
    columns = names
  }

  /// Creates a key of columns for which no ``Column`` is declared.
  ///
  /// - Parameter columns: The names, which are coding keys of the model.
  public init(columns: [String]) { self.columns = columns }
}
