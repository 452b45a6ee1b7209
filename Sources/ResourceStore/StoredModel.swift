/// A type whose values are rows of a table.
///
/// Its coding keys are the columns. Numbers, texts, dates, URLs, UUIDs and data have a form of their own in
/// a column; other values, such as arrays and structures, are kept as JSON. A table comes into being
/// with the first row, and grows by a column as soon as a row has one more; nothing is ever dropped.
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
/// What `encode(to:)` writes must have keys with one value each; nested containers and superclasses
/// are refused.
public protocol StoredModel: Codable, Sendable {
  /// The name of the table: the name of the type, unless it says something else. Two models with the
  /// same name need two tables; see <doc:KeepingModels>.
  static var table: String { get }

  /// The keys that no two rows share; `nil` in a key is a value like others. By the first one, rows are updated, deleted, and found again by
  /// `upsert`. For an `Identifiable` model it is the column `id`; other models have none unless they say so.
  ///
  /// Keys can be added to a model as long as its rows have no two alike; a key that is given up goes on
  /// in tables that were made with it.
  static var keys: [ModelKey<Self>] { get }

  /// The columns, one or several at a time, by which rows are looked for often.
  static var indices: [ModelKey<Self>] { get }
}

extension StoredModel {
  /// The name of the type, without those of the types around it.
  public static var table: String { String(describing: Self.self) }

  /// None.
  public static var keys: [ModelKey<Self>] { [] }

  /// None.
  public static var indices: [ModelKey<Self>] { [] }
}

extension StoredModel where Self: Identifiable {
  /// The column `id`.
  public static var keys: [ModelKey<Self>] { [ModelKey(Self.id)] }

  /// The column `id`.
  public static var id: Column<Self, ID> { Column(name: "id") }
}
