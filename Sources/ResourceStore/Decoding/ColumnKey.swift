/// The name of a column, where a coding key is wanted.
struct ColumnKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// What went wrong inside the value of a column, and in which column.
struct NestedDecodingError: Error {
  let key: ColumnKey
  let error: any Error
}
