internal import Foundation
internal import ResourceCache
internal import ResourceLoading

/// A response as the columns of a row.
struct ResponseRow: Sendable {
  let variant: String
  let status: Int64
  /// Empty if it is the URL of the key.
  let url: String
  let headers: String
  let selecting: String
  let requested: Double
  let received: Double
  let redirected: Int64
  let body: Data
  /// The checksum in the row; `nil` before the row is stored.
  private let checksum: Int64?

  init(_ stored: StoredResponse, for key: CacheKey) {
    let url = stored.response.url.absoluteString
    (variant, self.url) = (stored.variant, url == key.url ? "" : url)
    status = Int64(stored.response.status.rawValue)
    (headers, selecting) = (stored.response.headers.storedText, stored.selectingHeaders.storedText)
    requested = stored.requestDate.timeIntervalSinceReferenceDate
    received = stored.responseDate.timeIntervalSinceReferenceDate
    (redirected, body) = (stored.wasRedirected ? 1 : 0, stored.response.body)
    checksum = nil
  }

  /// The columns of ``init(_:)``, in their order.
  static let columns = """
    id, alone, size, variant, status, responseURL, headers, selecting, asked, arrived, redirected, checksum, body
    """

  init(_ row: Statement) {
    (variant, status, url) = (row.text(at: 3), row.integer(at: 4), row.text(at: 5))
    (headers, selecting) = (row.text(at: 6), row.text(at: 7))
    (requested, received, redirected) = (row.real(at: 8), row.real(at: 9), row.integer(at: 10))
    (checksum, body) = (row.integer(at: 11), row.blob(at: 12))
  }

  /// The checksum over the key and all of the response.
  func checksum(for key: CacheKey) -> Int64 {
    var sum = Checksum()
    for text in [key.url, key.partition.name, variant, url, headers, selecting] { sum.add(text) }
    if !key.content.isEmpty { sum.add(key.content) }
    for number in [requested, received] { sum.add(number.bitPattern) }
    for number in [status, redirected] { sum.add(UInt64(bitPattern: number)) }
    sum.add(body)
    return sum.value
  }

  /// The response; `nil` if the row is damaged.
  func response(for key: CacheKey) -> StoredResponse? {
    guard checksum == checksum(for: key), let url = URL(string: url.isEmpty ? key.url : url),
      let headers = Headers(storedText: headers), let selecting = Headers(storedText: selecting)
    else { return nil }
    return StoredResponse(
      Response(
        url: url, method: key.method, status: Status(rawValue: Int(status)), headers: headers,
        body: body),
      selectingHeaders: selecting, requestDate: Date(timeIntervalSinceReferenceDate: requested),
      responseDate: Date(timeIntervalSinceReferenceDate: received),
      wasRedirected: redirected == 1)
  }
}

extension ResponseTimes {
  /// Reads the columns `headers`, `asked` and `arrived`; damaged headers count as none.
  init(_ row: Statement) {
    self.init(
      Headers(storedText: row.text(at: 0)) ?? Headers(),
      requestDate: Date(timeIntervalSinceReferenceDate: row.real(at: 1)),
      responseDate: Date(timeIntervalSinceReferenceDate: row.real(at: 2)))
  }
}
