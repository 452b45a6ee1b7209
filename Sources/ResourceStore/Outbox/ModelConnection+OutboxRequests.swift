internal import Foundation
internal import ResourceLoading

// Requests and their bodies, as they are written and read.
extension ModelConnection {
  /// Stores the request and the body of an entry.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func insertRequest(_ request: StoredRequest, _ payload: Data?, _ number: Int64) throws {
    let encoder = JSONEncoder()
    let options =
      request.options == Request.Options()
      ? nil : try? encoder.encode(StoredOptions(request.options))
    let headers = request.headers.isEmpty ? nil : try? encoder.encode(request.headers.pairs)
    let text = { (data: Data?) in
      data.map { StoredValue.text(String(decoding: $0, as: UTF8.self)) } ?? .null
    }
    try execute(
      """
      INSERT OR REPLACE INTO "Outbox requests 1" (
        entry, method, target, isPath, headers, mediaType, options, payload)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """,
      [
        .integer(number), .text(request.method.rawValue), .text(request.target),
        .bool(request.isPath), text(headers),
        request.mediaType.map { .text($0.rawValue) } ?? .null, text(options),
        payload.map(StoredValue.blob) ?? .null,
      ])
    for (position, piece) in request.pieces.enumerated() {
      var values: [StoredValue] = [.integer(number), .integer(Int64(position))]
      switch piece {
      case .data(let data):
        values += [.blob(data), .null, .integer(0), .integer(Int64(data.count))]
      case .owned(let name, let length):
        values += [.null, .text(name), .integer(1), .integer(Int64(length))]
      case .referenced(let url, let length):
        values += [.null, .text(url.absoluteString), .integer(0), .integer(Int64(length))]
      }
      try execute(#"INSERT INTO "Outbox bodies 1" VALUES (?1, ?2, ?3, ?4, ?5, ?6)"#, values)
    }
  }

  /// Reads a request, with the values of its placeholders.
  ///
  /// - Returns: The request; an error if its row isn't as this library writes it.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func storedRequest(of entry: OutboxEntry) throws -> Result<StoredRequest, LoadError> {
    let number = StoredValue.integer(entry.number)
    let requests = try rows(
      #"SELECT isPath, headers, mediaType, options FROM "Outbox requests 1" WHERE entry = ?1"#,
      [number]
    ) { row -> StoredRequest? in
      guard let pairs = row.value(at: 1).json(or: [[String]]()),
        let headers = Headers(pairs: pairs),
        let options = row.value(at: 3).json(or: StoredOptions(Request.Options()))
      else { return nil }
      return StoredRequest(
        method: entry.method, target: entry.target, isPath: row.integer(at: 0) == 1,
        headers: headers,
        mediaType: row.value(at: 2).isNull ? nil : MediaType(rawValue: row.text(at: 2)),
        options: options.options)
    }
    let pieces = try rows(
      """
      SELECT data, file, isOwned, length FROM "Outbox bodies 1" WHERE entry = ?1 ORDER BY position
      """, [number], StoredRequest.Piece.init)
    guard var request = requests.first ?? nil, pieces.allSatisfy({ $0 != nil }) else {
      return .failure(.damagedEntry)
    }
    request.pieces = pieces.compactMap(\.self)
    let values = try rows(
      """
      SELECT p.id, p.value FROM "Outbox uses 1" u JOIN "Outbox placeholders 1" p ON p.id = u.placeholder
      WHERE u.entry = ?1 AND p.value IS NOT NULL
      """, [number]
    ) { (UUID(uuidString: $0.text(at: 0)), $0.blob(at: 1)) }
    request.resolve(
      values.reduce(into: [:]) { values, found in
        if let id = found.0 { values[OutboxPlaceholder(id)] = found.1 }
      })
    guard request.placeholders.isEmpty else {
      return .failure(
        LoadError(
          .outbox, "a value that it needs was never given", advice: "Correct the entry, or drop it")
      )
    }
    guard values.isEmpty || !request.hasDotSegment else {
      return .failure(
        LoadError(
          .invalidRequest, "a value that the server gave would lead to another path",
          advice: "Correct the entry, or drop it"))
    }
    return .success(request)
  }
}

extension ColumnValue {
  /// Decodes a text of JSON.
  ///
  /// - Parameter absent: The value for `NULL`.
  /// - Returns: The value; `nil` if it is damaged.
  fileprivate func json<T: Decodable>(or absent: T) -> T? {
    guard !isNull else { return absent }
    return exactText.flatMap { try? JSONDecoder().decode(T.self, from: Data($0.utf8)) }
  }
}

extension StoredRequest.Piece {
  fileprivate init?(_ row: Statement) {
    let length = Int(row.integer(at: 3))
    guard row.value(at: 0).isNull else {
      let data = row.blob(at: 0)
      guard data.count == length else { return nil }
      self = .data(data)
      return
    }
    let file = row.text(at: 1)
    guard row.integer(at: 2) == 0 else {
      guard !file.contains("/") else { return nil }
      self = .owned(name: file, length: length)
      return
    }
    guard let url = URL(string: file), url.isFileURL else { return nil }
    self = .referenced(url, length: length)
  }
}
