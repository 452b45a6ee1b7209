/// A type whose values are rows of a table.
///
/// Its coding keys are the columns. Numbers, texts, dates, URLs, UUIDs and data are stored in a
/// form of their own; other values, such as arrays and structures, as JSON. The table is created
/// with the first row, and gains a column as soon as a row has a new key; columns are never
/// dropped.
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
/// `encode(to:)` must write keys with one value each; nested containers and superclasses are
/// errors.
public protocol StoredModel: Codable, Sendable {
  /// The name of the table, by default the name of the type. Two models with the same name need two
  /// tables; see <doc:KeepingModels>.
  static var table: String { get }

  /// The unique keys, in which `nil` is a value like others. `update`, `delete` and `upsert` find
  /// rows by the first one. The default is the column `id` for an `Identifiable` model, and no key
  /// for others.
  ///
  /// The keys can change between versions of a program, see ``duplicateRule``. Models that share a
  /// table have the same ones.
  static var keys: [ModelKey<Self>] { get }

  /// The rule for rows that have the same key when a key is new to a table. By default they are an
  /// error.
  static var duplicateRule: DuplicateRule<Self> { get }

  /// Whether the model shares its table with other types, also with those that have the same name.
  /// The default is `false`: a type of the same name is an error then, because it probably isn't
  /// the same thing.
  static var sharesTable: Bool { get }

  /// The columns, one or several at a time, by which rows are often looked up or sorted.
  static var indices: [ModelKey<Self>] { get }
}

extension StoredModel {
  /// The name of the type, without the names of enclosing types.
  public static var table: String { String(describing: Self.self) }

  /// No keys.
  public static var keys: [ModelKey<Self>] { [] }

  /// Rows with the same key are an error.
  public static var duplicateRule: DuplicateRule<Self> { .refuse }

  /// The table belongs to the type, unless another one declares its name.
  public static var sharesTable: Bool { false }

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

/// The rule for rows that have the same key when a model gets another key, and its table has rows
/// already.
///
/// ```swift
/// static let duplicateRule = DuplicateRule.keepFirst(Ballot.cast.descending)
/// ```
public struct DuplicateRule<M: StoredModel>: Sendable, Hashable {
  /// The order of rows with the same key, of which the first is kept; `nil` if none may be deleted.
  let order: [Ordering<M>]?

  /// Nothing is deleted: the first write throws an error that says how many rows there are too
  /// many.
  public static var refuse: DuplicateRule { DuplicateRule(order: nil) }

  /// Of the rows with the same key, the first is kept, and the others are deleted.
  ///
  /// - Parameter order: The sort order of these rows: by the first, then by the next. Among equal
  ///   ones, and without an order, the row that was inserted first is kept.
  public static func keepFirst(_ order: Ordering<M>...) -> DuplicateRule {
    DuplicateRule(order: order)
  }
}
