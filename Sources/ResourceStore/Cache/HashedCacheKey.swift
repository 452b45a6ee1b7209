internal import Foundation
internal import ResourceCache
internal import ResourceLoading
internal import ResourcePrimitives

/// A cache key as the database stores it: hashes of the URL and the partition that depend on a key
/// of the database. So the file contains no URLs, whose queries may be secret, and credentials
/// can't be looked up in a precomputed table.
struct HashedCacheKey: Sendable {
  let url: Data
  /// Empty for the anonymous partition.
  let partition: Data
  let plain: CacheKey

  init(_ key: CacheKey, _ hashKey: HashKey) {
    url = hashKey.hash(key.url)
    partition = hashKey.hash(key.partition)
    plain = key
  }

  var rows: ResponseRowIDs { ResponseRowIDs(url, partition) }
}

/// The key of a database's hashes: random, created with the tables, and stored in the file.
struct HashKey: Sendable {
  private let bytes: [UInt8]
  /// The key with a checksum, for the file.
  let stored: Data
  /// Identifies the history of removals, which begins with the tables.
  let history: Int64

  init() { self.init(bytes: (0..<Self.count).map { _ in .random(in: 0...255) }) }

  /// Reads a stored key; `nil` if it is damaged.
  init?(_ stored: Data) {
    self.init(bytes: Array(stored.prefix(Self.count)))
    guard stored == self.stored else { return nil }
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
    var checksum = Checksum()
    checksum.add(Data(bytes))
    stored = Data(bytes) + checksum.value.bigEndianBytes
    history = SecureHash.hmac("history".utf8, key: bytes).prefix(8)
      .reduce(0) { $0 << 8 | Int64($1) }
  }

  func hash(_ url: String) -> Data { Data(SecureHash.hmac(url.utf8, key: bytes).prefix(16)) }

  func hash(_ partition: CachePartition) -> Data {
    partition == .anonymous ? Data() : hash(" \(partition.name)")
  }

  private static let count = 32
}

/// The row IDs of a URL's responses: they are computed from the hashes of the URL and the
/// partition, and those of one key are consecutive. There is room for 32 variants.
///
/// So responses are found without an index, which would be too large for memory if there are many:
/// a lookup reads one page of the file, among a thousand responses as among a hundred thousand.
struct ResponseRowIDs {
  let range: ClosedRange<Int64>
  private let url: Data
  private let partition: Data?

  /// The rows of a URL and a partition, both hashed.
  init(_ url: Data, _ partition: Data) {
    let prefix =
      Self.prefix(of: url, bits: Self.urlBits) << Self.partitionBits
      | Self.prefix(of: partition, bits: Self.partitionBits)
    let first = prefix << Self.variantBits
    range = first...first + (1 << Self.variantBits) - 1
    (self.url, self.partition) = (url, partition)
  }

  /// The rows of a URL in all partitions.
  init(allOf url: Data) {
    let bits = Self.partitionBits + Self.variantBits
    let first = Self.prefix(of: url, bits: Self.urlBits) << bits
    range = first...first + (1 << bits) - 1
    (self.url, partition) = (url, nil)
  }

  // 63 bits in all, so that no number is negative.
  private static let urlBits = 40
  private static let partitionBits = 18
  private static let variantBits = 5

  private static func prefix(of hash: Data, bits: Int) -> Int64 {
    Int64(hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } >> (64 - UInt64(bits)))
  }
}

extension ResponseRowIDs {
  /// The SQL condition for the rows, whose parameters are ``values``. A further parameter is `?5`,
  /// or `?4` for the rows of all partitions.
  var condition: String {
    let rows = "id BETWEEN ?1 AND ?2 AND url = ?3"
    return partition == nil ? rows : "\(rows) AND partition = ?4"
  }

  var values: [StoredValue] {
    let values: [StoredValue] = [
      .integer(range.lowerBound), .integer(range.upperBound), .blob(url),
    ]
    return values + (partition.map { [.blob($0)] } ?? [])
  }
}
