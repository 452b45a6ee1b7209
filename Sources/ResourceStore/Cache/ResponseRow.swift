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
    (headers, selecting) = (stored.response.headers.columnText, stored.selectingHeaders.columnText)
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
    for number in [requested, received] { sum.add(number.bitPattern) }
    for number in [status, redirected] { sum.add(UInt64(bitPattern: number)) }
    sum.add(body)
    return sum.value
  }

  /// The response; `nil` if the row is damaged.
  func response(for key: CacheKey) -> StoredResponse? {
    guard checksum == checksum(for: key), let url = URL(string: url.isEmpty ? key.url : url),
      let headers = Headers(columnText: headers), let selecting = Headers(columnText: selecting)
    else { return nil }
    return StoredResponse(
      Response(url: url, status: Status(rawValue: Int(status)), headers: headers, body: body),
      selectingHeaders: selecting, requestDate: Date(timeIntervalSinceReferenceDate: requested),
      responseDate: Date(timeIntervalSinceReferenceDate: received),
      wasRedirected: redirected == 1)
  }
}

extension ResponseTimes {
  /// Reads the columns `headers`, `asked` and `arrived`; damaged headers count as none.
  init(_ row: Statement) {
    self.init(
      Headers(columnText: row.text(at: 0)) ?? Headers(),
      requestDate: Date(timeIntervalSinceReferenceDate: row.real(at: 1)),
      responseDate: Date(timeIntervalSinceReferenceDate: row.real(at: 2)))
  }
}

// Headers as one text: NUL, which can't occur in headers, ends each name and each value.
extension Headers {
  fileprivate var columnText: String {
    var text = ""
    for field in self { text += "\(field.name.rawValue)\0\(field.value)\0" }
    return text
  }

  /// Reads a text; `nil` if it contains something else.
  fileprivate init?(columnText text: String) {
    self.init()
    var parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.popLast()?.isEmpty == true, parts.count.isMultiple(of: 2) else { return nil }
    for index in stride(from: 0, to: parts.count, by: 2) {
      append(Name(rawValue: String(Substring(parts[index]))), String(Substring(parts[index + 1])))
    }
  }
}

/// A checksum for damage that SQLite doesn't notice, because it checks the structure of its pages
/// and not the content of rows.
///
/// Each step is reversible, so a change of a single word always changes the checksum; other damage
/// goes unnoticed once in 2⁶⁴ times. It doesn't protect against deliberate changes.
struct Checksum: Sendable, Hashable {
  private var state: UInt64 = 0x243F_6A88_85A3_08D3

  /// The checksum of everything that was added, in this order.
  var value: Int64 { Int64(bitPattern: state ^ state >> 32) }

  mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { unsafe add($0) }
  }

  mutating func add(_ data: Data) {
    // `Data` is always contiguous.
    unsafe data.withContiguousStorageIfAvailable { unsafe add($0) }
  }

  /// Adds bytes, which are read only below their count and during the call.
  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    add(UInt64(bytes.count))
    let whole = bytes.count & ~7
    for start in stride(from: 0, to: whole, by: 8) {
      var word: UInt64 = 0
      for offset in 0..<8 { unsafe word |= UInt64(bytes[start + offset]) << UInt64(8 * offset) }
      add(word)
    }
    for index in whole..<bytes.count { unsafe add(UInt64(bytes[index])) }
  }
}
