internal import Foundation
internal import ResourceCache
internal import ResourceLoading

/// What stands in a database in place of a URL and a partition: hashes that only the database's own key gives. So the
/// file holds no URL, whose query may be a secret, and credentials can't be looked up in a table made beforehand.
struct HashedKey: Sendable {
  let url: Data
  /// Empty for what belongs to nobody in particular.
  let partition: Data
  let plain: CacheKey

  init(_ key: CacheKey, _ secret: ResponseSecret) {
    url = secret.hash(key.url)
    partition = secret.hash(key.partition)
    plain = key
  }
}

/// The key of a database's hashes: random, made with the tables, and kept beside them in the file.
struct ResponseSecret: Sendable {
  private let bytes: [UInt8]

  /// Makes a new one.
  init() { bytes = (0..<Self.count).map { _ in .random(in: 0...255) } }

  /// Reads one that was kept; `nil` if it was damaged.
  init?(_ kept: Data) {
    bytes = Array(kept.prefix(Self.count))
    guard kept == self.kept else { return nil }
  }

  /// How it is kept: with a checksum.
  var kept: Data {
    var checksum = Checksum()
    checksum.add(Data(bytes))
    return Data(bytes) + withUnsafeBytes(of: checksum.value.bigEndian, Array.init)
  }

  /// A number for the history of removals, which begins with the tables.
  var history: Int64 {
    SecureHash.hmac("history".utf8, key: bytes).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
  }

  func hash(_ url: String) -> Data { Data(SecureHash.hmac(url.utf8, key: bytes).prefix(16)) }

  func hash(_ partition: CachePartition) -> Data {
    partition == .anonymous ? Data() : hash(" \(partition.name)")
  }

  private static let count = 32
}

/// Where in its table the responses of a URL are: the numbers of their rows come from the hashes of the URL and of
/// whose they are, and those of one key follow one another.
///
/// So they are found without an index, which for many responses is too large to stay in memory: to look one up
/// takes one page from the file, among a thousand as among a hundred thousand. There is room for 32 variants.
struct ResponsePlaces {
  /// The numbers of the rows.
  let ids: ClosedRange<Int64>
  private let url: Data
  private let partition: Data?

  /// The places of a key's variants.
  init(_ key: HashedKey) {
    let url = Self.number(key.url, bits: Self.urlBits) << Self.partitionBits
    let first = (url | Self.number(key.partition, bits: Self.partitionBits)) << Self.variantBits
    self.init(first, count: 1 << Self.variantBits, key.url, key.partition)
  }

  /// The places of a URL's variants, whoever they belong to.
  init(everybodysOf url: Data) {
    let bits = Self.partitionBits + Self.variantBits
    self.init(Self.number(url, bits: Self.urlBits) << bits, count: 1 << bits, url, nil)
  }

  private init(_ first: Int64, count: Int64, _ url: Data, _ partition: Data?) {
    ids = first...first + count - 1
    (self.url, self.partition) = (url, partition)
  }
}

extension ResponsePlaces {
  /// What is true of the rows of a key, after ``bind(to:)``. Positions from 5 on are free.
  static let condition = "id BETWEEN ?1 AND ?2 AND url = ?3 AND partition = ?4"

  /// What is true of the rows of a URL.
  static let conditionOfURL = "id BETWEEN ?1 AND ?2 AND url = ?3"

  /// Binds what its condition has positions for.
  func bind(to statement: Statement) throws {
    try statement.bind(ids.lowerBound, at: 1)
    try statement.bind(ids.upperBound, at: 2)
    try statement.bind(url, at: 3)
    if let partition { try statement.bind(partition, at: 4) }
  }

  // 63 bits in all: no number is negative.
  private static let urlBits = 40
  private static let partitionBits = 18
  private static let variantBits = 5

  private static func number(_ hash: Data, bits: Int) -> Int64 {
    Int64(hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } >> (64 - UInt64(bits)))
  }
}
