internal import Foundation

/// A value as a database keeps it (<https://sqlite.org/datatype3.html>).
enum StoredValue: Sendable, Hashable {
  /// Nothing.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number, never NaN.
  case real(Double)
  /// A text, which may hold NUL.
  case text(String)
  /// Bytes.
  case blob(Data)
}
