#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  internal import ResourceCache
  internal import ResourceLoading
  internal import ResourcePrimitives

  // A response as the bytes of a value: the number of the form, a checksum, and the fields, of which
  // those of variable length begin with their length.
  extension StoredResponse {
    private static let form: UInt8 = 1

    func storedBytes(for key: CacheKey) -> Data {
      var bytes = ByteWriter()
      bytes.add(Int64(response.status.rawValue))
      bytes.add(Int64(wasRedirected ? 1 : 0))
      bytes.add(requestDate.timeIntervalSinceReferenceDate)
      bytes.add(responseDate.timeIntervalSinceReferenceDate)
      let url = response.url.absoluteString
      bytes.add(url == key.url ? "" : url)
      bytes.add(response.headers.storedText)
      bytes.add(selectingHeaders.storedText)
      bytes.data.append(response.body)
      let checksum = Self.checksum(of: bytes.data, for: key)
      return Data([Self.form]) + checksum.bigEndianBytes + bytes.data
    }

    /// Reads stored bytes; `nil` if they are damaged or have another form.
    init?(storedBytes: Data, for key: CacheKey) {
      var reader = ByteReader(storedBytes)
      guard reader.byte() == Self.form, let checksum = reader.integer(),
        checksum == Self.checksum(of: reader.rest, for: key),
        let status = reader.integer(), let redirected = reader.integer(),
        let requested = reader.real(), let received = reader.real(), let url = reader.text(),
        let headers = reader.text(), let selecting = reader.text(),
        let url = URL(string: url.isEmpty ? key.url : url),
        let headers = Headers(storedText: headers), let selecting = Headers(storedText: selecting)
      else { return nil }
      self.init(
        // A copy, because the body would otherwise keep all of the bytes in memory.
        Response(
          url: url, method: key.method, status: Status(rawValue: Int(status)), headers: headers,
          body: Data(reader.rest)),
        selectingHeaders: selecting, requestDate: Date(timeIntervalSinceReferenceDate: requested),
        responseDate: Date(timeIntervalSinceReferenceDate: received),
        wasRedirected: redirected == 1)
    }

    private static func checksum(of bytes: Data, for key: CacheKey) -> Int64 {
      var checksum = Checksum()
      checksum.add(key.url)
      checksum.add(key.partition.name)
      if !key.content.isEmpty { checksum.add(key.content) }
      checksum.add(bytes)
      return checksum.value
    }
  }

  // The times of a response, with a random number that identifies it.
  extension StoredResponse {
    var storedTimes: Data {
      var bytes = ByteWriter()
      bytes.add(Int64.random(in: .min ... .max))
      bytes.add(requestDate.timeIntervalSinceReferenceDate)
      bytes.add(responseDate.timeIntervalSinceReferenceDate)
      bytes.add(response.headers[.date] ?? "")
      return bytes.data
    }

    /// Whether a response with these stored times is newer.
    func isOutdated(byStoredTimes times: Data) -> Bool {
      var reader = ByteReader(times)
      guard reader.integer() != nil, let requested = reader.real(), let received = reader.real(),
        let date = reader.text()
      else { return false }
      let new = ResponseTimes(
        response.headers, requestDate: requestDate, responseDate: responseDate)
      return new.isOutdated(
        by: ResponseTimes(
          date.isEmpty ? Headers() : [.date: date],
          requestDate: Date(timeIntervalSinceReferenceDate: requested),
          responseDate: Date(timeIntervalSinceReferenceDate: received)))
    }
  }

  private struct ByteWriter {
    var data = Data()

    mutating func add(_ number: Int64) { data.append(contentsOf: number.bigEndianBytes) }

    mutating func add(_ number: Double) { add(Int64(bitPattern: number.bitPattern)) }

    mutating func add(_ text: String) {
      add(Int64(text.utf8.count))
      data.append(contentsOf: text.utf8)
    }
  }

  /// Reads what a `ByteWriter` has written; each method returns `nil` if there isn't enough.
  private struct ByteReader {
    private(set) var rest: Data

    init(_ data: Data) { rest = data }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func integer() -> Int64? {
      take(8).map { bytes in bytes.reduce(0) { $0 << 8 | Int64($1) } }
    }

    mutating func real() -> Double? {
      integer().map { Double(bitPattern: UInt64(bitPattern: $0)) }
    }

    mutating func text() -> String? {
      guard let count = integer(), let count = Int(exactly: count) else { return nil }
      return take(count).map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func take(_ count: Int) -> Data? {
      guard count >= 0, count <= rest.count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }
#endif
