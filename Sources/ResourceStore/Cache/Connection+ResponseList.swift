internal import Foundation
internal import ResourceCache
internal import ResourceLoading

extension ResponseDatabase {
  func list(_ request: ResponseListRequest) async throws -> ResponseList {
    let urls = request.urls(by: try await prepared())
    return try await readers.run { try $0.list(request, urls) }
  }
}

extension Connection {
  /// Lists responses without their bodies. `urls` are known ones by their hashes.
  fileprivate func list(
    _ request: ResponseListRequest, _ urls: [Data: String]
  ) throws -> ResponseList {
    let responses = try rows(
      """
      SELECT url, partition, status, responseURL, headers, selecting, asked, arrived, redirected, size
      FROM "HTTPCache responses 3" ORDER BY used DESC LIMIT ?1
      """, [.integer(Int64(request.limit))]
    ) { ListedResponse($0, urls) }
    return ResponseList(
      responses: responses.compactMap(\.self),
      count: Int(try integer(#"SELECT count(*) FROM "HTTPCache responses 3""#)),
      size: Int(try integer(#"SELECT size FROM "HTTPCache state 3""#)))
  }
}

extension ListedResponse {
  /// Reads a row; `nil` if it is damaged.
  fileprivate init?(_ row: Statement, _ urls: [Data: String]) {
    let key = urls[row.blob(at: 0)]
    let place = HashedPlace(row.blob(at: 1))
    let method: Request.Method = place.hasContent ? .query : .get
    guard let headers = Headers(storedText: row.text(at: 4)),
      let selecting = Headers(storedText: row.text(at: 5)),
      let url = URL(string: row.text(at: 3)) ?? URL(string: key ?? "unknown:")
    else { return nil }
    let response = StoredResponse(
      Response(
        url: url, method: method, status: Status(rawValue: Int(row.integer(at: 2))),
        headers: headers, body: Data()),
      selectingHeaders: selecting,
      requestDate: Date(timeIntervalSinceReferenceDate: row.real(at: 6)),
      responseDate: Date(timeIntervalSinceReferenceDate: row.real(at: 7)),
      wasRedirected: row.integer(at: 8) == 1)
    self.init(
      response, url: key, method: method, partition: place.partition,
      size: Int(row.integer(at: 9)))
  }
}
