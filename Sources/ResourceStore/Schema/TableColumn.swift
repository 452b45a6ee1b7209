internal import Foundation

/// A column as a model encodes it.
struct TableColumn: Hashable {
  let name: String
  var type: DeclaredType
  /// Whether a row has had no value for it, so that it can't be SQLite's row number.
  var isOptional = false
  /// Whether a value of a type of its own has come that the column, as it is declared, wouldn't keep unchanged.
  var needsAny = false
  /// What the column is declared as in the file, which may be another type that does as well.
  var stored: DeclaredType

  init(name: String, type: DeclaredType, isOptional: Bool = false) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    stored = type
  }
}

extension TableColumn {
  /// The column in `CREATE TABLE`.
  func declaration(isRowNumber: Bool = false) throws -> String {
    try FileColumn(self, isRowNumber: isRowNumber).declaration
  }
}

/// A column that a table has in a file.
struct FileColumn: Equatable {
  let name: String
  var type: DeclaredType
  /// Whether it is SQLite's row number, which is never `NULL`.
  var isRowNumber: Bool

  init(name: String, type: DeclaredType, isRowNumber: Bool) {
    self.name = name
    self.type = type
    self.isRowNumber = isRowNumber
  }

  init(_ column: TableColumn, isRowNumber: Bool = false) {
    self.init(name: column.name, type: column.stored, isRowNumber: isRowNumber)
  }
}

extension FileColumn {
  /// Whether it is the column of a model, whose name may have other cases.
  func isSame(as column: TableColumn) -> Bool { name.isSameName(as: column.name) }

  /// The column in `CREATE TABLE`.
  var declaration: String {
    get throws {
      let words = [try name.quotedName, type.declaration, isRowNumber ? "PRIMARY KEY" : ""]
      return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}

/// What a column is declared as. It says what SQLite may turn values into on their way in
/// (<https://sqlite.org/datatype3.html#type_affinity>), so only types whose values stay as they are get one.
enum DeclaredType: Sendable {
  case integer
  /// 64 bits without a sign; as a key it can't stand for SQLite's row number as `INTEGER` does.
  case unsigned
  case real
  case text
  case blob
  /// A type that says itself how it is encoded: whatever comes.
  case any
  /// Only `nil` has come so far.
  case unknown
}

extension DeclaredType {
  /// The type that values of a Swift type need.
  init<T>(of type: T.Type) {
    if type == String.self || type == URL.self || type == UUID.self || type == Decimal.self {
      self = .text
    } else if type == Date.self || type == Double.self || type == Float.self {
      self = .real
    } else if type == Data.self {
      self = .blob
    } else if type == Bool.self {
      self = .integer
    } else if let integer = type as? any FixedWidthInteger.Type {
      self = Self(ofInteger: integer)
    } else if let optional = type as? any OptionalColumnType.Type {
      self = optional.wrappedType
    } else {
      self = .any
    }
  }

  private init(ofInteger type: any FixedWidthInteger.Type) {
    // Wider ones are kept as JSON.
    switch (type.fixedBitWidth, type.isSigned) {
    case (65..., _): self = .any
    case (64, false): self = .unsigned
    default: self = .integer
    }
  }

  /// The type that a column of a file is declared as, also where another program has made it.
  init(declaration: String) {
    let words = declaration.uppercased()
    if let own = Self.all.first(where: { $0.declaration == words }) {
      self = own
    } else if words.contains("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: words.contains) {
      self = .text
    } else if words.contains("BLOB") {
      self = .any
    } else if ["REAL", "FLOA", "DOUB"].contains(where: words.contains) {
      self = .real
    } else {
      // Numeric: whole numbers stay as they are, and texts don't.
      self = .integer
    }
  }

  private static let all: [Self] = [.integer, .unsigned, .real, .text, .blob, .any]

  /// What stands behind the column's name.
  var declaration: String {
    switch self {
    case .integer: "INTEGER"
    case .unsigned: "UNSIGNED INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    case .any, .unknown: ""
    }
  }
}

extension DeclaredType {
  /// Whether a column of this type keeps a value unchanged.
  func keeps(_ value: StoredValue) -> Bool {
    switch (self, value) {
    case (.any, _), (.blob, _), (.unknown, _), (_, .null), (_, .blob): true
    case (.integer, .integer), (.unsigned, .integer), (.real, .real), (.text, .text): true
    default: false
    }
  }

  /// The SQL condition for a value of another kind than columns of this type have.
  func isForeign(_ column: String) -> String {
    switch self {
    case .integer: "typeof(\(column)) NOT IN ('null', 'integer')"
    case .unsigned: "typeof(\(column)) NOT IN ('null', 'integer', 'blob')"
    case .real: "typeof(\(column)) NOT IN ('null', 'integer', 'real') AND \(column) IS NOT 'nan'"
    case .text: "typeof(\(column)) NOT IN ('null', 'text')"
    case .blob: "typeof(\(column)) NOT IN ('null', 'blob')"
    case .any, .unknown: "FALSE"
    }
  }
}

extension DeclaredType: CustomStringConvertible {
  /// What values of the type are, for errors.
  var description: String {
    switch self {
    case .integer, .unsigned: "whole numbers"
    case .real: "floating-point numbers"
    case .text: "texts"
    case .blob: "bytes"
    case .any: "values of a type of its own"
    case .unknown: "nothing"
    }
  }
}

/// `Optional`, whatever is in it.
private protocol OptionalColumnType {
  static var wrappedType: DeclaredType { get }
}

extension Optional: OptionalColumnType {
  fileprivate static var wrappedType: DeclaredType { DeclaredType(of: Wrapped.self) }
}

extension FixedWidthInteger {
  fileprivate static var fixedBitWidth: Int { bitWidth }
}
