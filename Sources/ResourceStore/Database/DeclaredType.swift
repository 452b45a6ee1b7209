import Foundation
import ResourceLoading
import ResourcePrimitives

/// The declared type of a column. SQLite converts stored values to it
/// (<https://sqlite.org/datatype3.html#type_affinity>), so a Swift type gets one only if its values
/// stay unchanged.
enum DeclaredType: Sendable {
  case integer
  /// 64 bits without a sign; unlike `INTEGER`, a key of this type can't be SQLite's row number.
  case unsigned
  case real
  case text
  case blob
  /// Any value: the Swift type encodes itself.
  case any
  /// Only `nil` has been encoded so far.
  case unknown
}

extension DeclaredType {
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
    // Wider ones are stored as JSON.
    switch (type.typeWidth, type.isSigned) {
    case (65..., _): self = .any
    case (64, false): self = .unsigned
    default: self = .integer
    }
  }

  /// The type of a column in a file, which another program may have created.
  init(declaration: String) {
    let words = declaration.uppercased()
    if let own = Self.all.first(where: { $0.declaration == words }) {
      self = own
    } else if words.includes("INT") {
      self = .integer
    } else if ["CHAR", "CLOB", "TEXT"].contains(where: words.includes) {
      self = .text
    } else if words.includes("BLOB") {
      self = .any
    } else if ["REAL", "FLOA", "DOUB"].contains(where: words.includes) {
      self = .real
    } else {
      // Numeric affinity keeps integers, and converts texts.
      self = .integer
    }
  }

  private static let all: [Self] = [.integer, .unsigned, .real, .text, .blob, .any]

  /// The declaration, as it follows the column's name.
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
  /// Whether a column of this type stores a value unchanged.
  func keeps(_ value: StoredValue) -> Bool {
    switch (self, value) {
    case (.any, _), (.blob, _), (.unknown, _), (_, .null), (_, .blob): true
    case (.integer, .integer), (.unsigned, .integer), (.real, .real), (.text, .text): true
    default: false
    }
  }

  /// The SQL condition for a value that a column of this type never has.
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
  /// The values of the type, for error messages.
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

/// `Optional` of any type.
private protocol OptionalColumnType {
  static var wrappedType: DeclaredType { get }
}

extension Optional: OptionalColumnType {
  fileprivate static var wrappedType: DeclaredType { DeclaredType(of: Wrapped.self) }
}

extension FixedWidthInteger {
  /// `bitWidth`, which a value of type `any FixedWidthInteger.Type` doesn't offer.
  static var typeWidth: Int { bitWidth }
}

package struct FileColumn: Equatable {
  package let name: String
  var type: DeclaredType
  /// Whether it is SQLite's row number, which is never `NULL`.
  var isRowNumber = false
}

extension FileColumn {
  var declaration: String {
    get throws {
      let words = [try name.quotedName, type.declaration, isRowNumber ? "PRIMARY KEY" : ""]
      return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}

extension Connection {
  /// The columns of a table in the file; empty if there is no such table.
  package func columns(of table: String) throws -> [FileColumn] {
    try rows(
      "SELECT name, type, type = 'INTEGER' AND pk = 1 FROM pragma_table_info(?1)", [.text(table)]
    ) {
      FileColumn(
        name: $0.text(at: 0), type: DeclaredType(declaration: $0.text(at: 1)),
        isRowNumber: $0.integer(at: 2) == 1)
    }
  }
}

extension String {
  package var quotedName: String {
    get throws {
      guard !utf8.contains(0) else {
        throw LoadError(
          .store, "a name with NUL in it can't be that of a table or a column",
          advice: "Remove the NUL from the coding key or from the model's table name")
      }
      guard utf8.contains(UInt8(ascii: "\"")) else { return "\"\(self)\"" }
      return "\"" + replacing(["\"": "\"\""]) + "\""
    }
  }

  /// Whether another name is the same for SQLite, which ignores the case of ASCII letters.
  func isSameName(as other: String?) -> Bool {
    guard let other, utf8.count == other.utf8.count else { return false }
    return utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }

  /// The name in lower case: equal names for SQLite have the same one.
  package var foldedName: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}

extension UInt8 {
  fileprivate var lowercasedASCII: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
