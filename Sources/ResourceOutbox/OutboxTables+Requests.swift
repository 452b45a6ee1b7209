internal import Foundation
import ResourceJSON
internal import ResourceLoading
import ResourcePrimitives
import ResourceStore

// Requests and their bodies, as they are written and read.
extension OutboxTables {
  func insert(_ request: StoredRequest, _ payload: Data?, _ number: Int64) throws {
    let hasOptions = request.options != Request.Options() || request.upload != nil
    try connection.execute(
      """
      INSERT OR REPLACE INTO "Outbox requests 1" (
        entry, method, target, isPath, headers, mediaType, options, payload)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """,
      [
        .integer(number), .text(request.method.rawValue), .text(request.target),
        .bool(request.isPath), request.headers.isEmpty ? .null : .json(request.headers.pairs),
        request.mediaType.map { .text($0.rawValue) } ?? .null,
        hasOptions ? .json(StoredOptions(request.options, request.upload)) : .null,
        payload.map(StoredValue.blob) ?? .null,
      ])
    for (position, piece) in request.pieces.enumerated() {
      try insert(piece, at: position, of: number)
    }
  }

  private func insert(
    _ piece: StoredRequest.Piece, at position: Int, of number: Int64
  ) throws {
    let columns: (data: StoredValue, file: StoredValue, isOwned: Bool, length: Int) =
      switch piece {
      case .data(let data): (.blob(data), .null, false, data.count)
      case .owned(let name, let length): (.null, .text(name), true, length)
      case .referenced(let url, let length): (.null, .text(url.absoluteString), false, length)
      }
    try connection.execute(
      #"INSERT INTO "Outbox bodies 1" VALUES (?1, ?2, ?3, ?4, ?5, ?6)"#,
      [
        .integer(number), .integer(Int64(position)), columns.data, columns.file,
        .bool(columns.isOwned), .integer(Int64(columns.length)),
      ])
  }

  /// Reads a request with the values of its placeholders; an error if its row is damaged.
  func request(of entry: OutboxEntry) throws -> Result<StoredRequest, LoadError> {
    guard var request = try head(of: entry), let pieces = try pieces(of: entry) else {
      return .failure(.damagedEntry)
    }
    request.pieces = pieces
    let values = try values(for: entry)
    request.resolve(values, defaultType: storage.client.configuration.headers[.contentType])
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

  /// Reads a request without its body; `nil` if its row is damaged.
  private func head(of entry: OutboxEntry) throws -> StoredRequest? {
    try connection.rows(
      #"SELECT isPath, headers, mediaType, options FROM "Outbox requests 1" WHERE entry = ?1"#,
      [.integer(entry.number)]
    ) { row -> StoredRequest? in
      guard let pairs = row.value(at: 1).json(or: [[String]]()),
        let headers = Headers(pairs: pairs),
        let options = row.value(at: 3).json(or: StoredOptions(Request.Options(), nil))
      else { return nil }
      return StoredRequest(
        method: entry.method, target: entry.target, isPath: row.integer(at: 0) == 1,
        headers: headers,
        mediaType: row.value(at: 2).isNull ? nil : MediaType(rawValue: row.text(at: 2)),
        options: options.options, upload: options.upload(settings.uploadStrategies))
    }.first ?? nil
  }

  /// Reads the pieces of a body; `nil` if one of them is damaged.
  private func pieces(of entry: OutboxEntry) throws -> [StoredRequest.Piece]? {
    let pieces = try connection.rows(
      """
      SELECT data, file, isOwned, length FROM "Outbox bodies 1" WHERE entry = ?1 ORDER BY position
      """, [.integer(entry.number)], StoredRequest.Piece.init)
    let read = pieces.compactMap(\.self)
    return read.count == pieces.count ? read : nil
  }

  /// Reads the values of the placeholders in a request, as far as they are known.
  private func values(for entry: OutboxEntry) throws -> [OutboxPlaceholder: PlaceholderValue] {
    let values = try connection.rows(
      """
      SELECT p.id, p.value FROM "Outbox uses 1" u JOIN "Outbox placeholders 1" p ON p.id = u.placeholder
      WHERE u.entry = ?1 AND p.value IS NOT NULL
      """, [.integer(entry.number)]
    ) { row in
      UUID(uuidString: row.text(at: 0)).map {
        (OutboxPlaceholder($0), PlaceholderValue(row.blob(at: 1)))
      }
    }
    return Dictionary(values.compactMap(\.self)) { $1 }
  }
}

extension StoredValue {
  fileprivate static func json(_ value: some Encodable) -> StoredValue {
    (try? JSONWriter().encode(value)).map { .text(String(decoding: $0, as: UTF8.self)) } ?? .null
  }
}

extension ColumnValue {
  /// Decodes a text of JSON; `absent` for `NULL`, and `nil` if it is damaged.
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
      guard !file.includes("/") else { return nil }
      self = .owned(name: file, length: length)
      return
    }
    guard let url = URL(string: file), url.isFileURL else { return nil }
    self = .referenced(url, length: length)
  }
}
