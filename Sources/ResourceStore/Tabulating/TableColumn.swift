internal import Foundation

/// A column as a table declares it.
struct TableColumn: Hashable {
  let name: String
  let type: DeclaredType
}

/// What a column is declared as. It says what SQLite may turn values into on their way in, so only types
/// whose values stay as they are get one.
enum DeclaredType: String {
  case integer = "INTEGER"
  /// 64 bits without a sign; as a key it can't stand for SQLite's row number as `INTEGER` does.
  case unsigned = "UNSIGNED INTEGER"
  case real = "REAL"
  case text = "TEXT"
  case blob = "BLOB"
  /// Whatever comes.
  case any = ""
}

extension DeclaredType {
  /// The declaration for a type that isn't one of `Codable`'s own.
  init<T>(of type: T.Type) {
    if type == Date.self {
      self = .real
    } else if type == URL.self || type == UUID.self || type == Decimal.self {
      self = .text
    } else if type == Data.self {
      self = .blob
    } else {
      self = .any
    }
  }
}
