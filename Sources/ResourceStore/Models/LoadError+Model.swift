internal import ResourceLoading
internal import ResourcePrimitives

extension LoadError {
  init<M: StoredModel>(encoding error: any Error, of type: M.Type) {
    var reason = "\(type) can't be stored as a row"
    if case EncodingError.invalidValue(_, let context) = error {
      reason += ": \(context.debugDescription)"
    }
    self.init(
      .store, reason, advice: "Encode keys with one value each; a value may be a structure",
      underlying: error)
  }

  init<M: StoredModel>(decoding error: any Error, of type: M.Type) {
    let (path, reason) = Self.cause(of: error)
    let column = path.first.map { ", column \($0.stringValue)" } ?? ""
    let isMissing =
      switch error {
      case DecodingError.keyNotFound, DecodingError.valueNotFound: true
      default: false
      }
    self.init(
      .store, "a row of table \(M.table) isn't a \(type)\(column): \(reason)",
      advice: isMissing
        ? "Make the property optional, or give it a value in init(from:)"
        : "Have init(from:) accept what is stored, or delete the row",
      underlying: error)
  }

  private static func cause(
    of nested: NestedDecodingError
  ) -> (path: [any CodingKey], reason: String) {
    var (path, reason) = cause(of: nested.error)
    if Secrets.isSecret(name: nested.key.stringValue) { reason = Secrets.replacement }
    let place = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    return ([nested.key], place.isEmpty ? reason : "at \(place): \(reason)")
  }

  private static func cause(of error: any Error) -> (path: [any CodingKey], reason: String) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      (context.codingPath + [key], context.debugDescription)
    case DecodingError.valueNotFound(_, let context):
      (context.codingPath, "there is NULL where a value is needed")
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      (context.codingPath, context.redactedDescription())
    case let nested as NestedDecodingError: Self.cause(of: nested)
    default: ([], "\(error)")
    }
  }
}

extension LoadError {
  /// The error for a key of columns that the model doesn't encode.
  init<M: StoredModel>(noColumn column: String, in type: M.Type) {
    self.init(
      .store, "\(type) has a key or an index of column \(column), but doesn't encode one",
      advice: "Name it as its coding key does, and encode it in every row")
  }

  /// The error for a column that existing rows should keep, but that the model doesn't encode.
  init<M: StoredModel>(noColumnToKeep column: String, in type: M.Type) {
    self.init(
      .store, "\(type) doesn't encode a column \(column) whose values could be kept",
      advice: "Name it as its coding key does, and encode it in every row")
  }

  /// The error for rows that have the same key when a key is new to a table.
  init<M: StoredModel>(duplicates count: Int64, of key: ModelKey<M>) {
    self.init(
      .store,
      "\(M.self) has a new key (\(key.columns.joined(separator: ", "))), but \(count) rows of table \(M.table) have one that another row has",
      advice: "Say by duplicateRule which rows stay, or delete the others before")
  }

  init<M: StoredModel>(noKey type: M.Type) {
    self.init(
      .store, "\(type) has no key to find its rows by",
      advice: "Make it Identifiable, or declare its keys")
  }
}

extension LoadError {
  /// The error for a property whose type doesn't fit the values of its column.
  init<M: StoredModel>(changing old: DeclaredType, to column: TableColumn, of type: M.Type) {
    self.init(
      .store,
      "column \(column.name) of table \(M.table) holds \(old), and \(type) has \(column.type) there now",
      advice: "Give the property another coding key, or the model another table")
  }

  /// The error for a key under which a model encodes different types.
  init<M: StoredModel>(mixing error: MixedTypesError, in type: M.Type) {
    self.init(
      .store, "\(type) encodes \(error.first) and \(error.second) as \(error.column)",
      advice: "Encode one type under one key, which may be an enum that encodes itself")
  }

  /// The error for two columns whose names are the same for SQLite.
  init<M: StoredModel>(sameColumns one: String, _ other: String, of type: M.Type) {
    self.init(
      .store, "\(type) has columns \(one) and \(other), which are the same for SQLite",
      advice: "Rename one of the coding keys: names must differ by more than case")
  }

  /// The error for two types that would share a table only because they have the same name.
  init(sharing table: String, _ one: Any.Type, _ other: Any.Type) {
    self.init(
      .store,
      "\(String(reflecting: one)) and \(String(reflecting: other)) both have the table \(table)",
      advice: "Give one of them another `static let table`, or `static let sharesTable = true`")
  }
}
