internal import Foundation
internal import ResourceCache

/// A cache key as the database stores it: hashes of the URL and the partition that depend on a key
/// of the database. So the file contains no URLs, whose queries may be secret, and credentials
/// can't be looked up in a precomputed table.
struct HashedCacheKey: Sendable {
  let url: Data
  /// Empty for the anonymous partition.
  let partition: Data
  /// The partition, and the content of a `QUERY` if there is one, for a column that was made for
  /// the partition alone.
  let place: Data
  let rows: ResponseRowIDs
  let plain: CacheKey

  init(_ key: CacheKey, _ hashKey: HashKey) {
    url = hashKey.hash(key.url)
    partition = hashKey.hash(key.partition)
    plain = key
    if key.content.isEmpty {
      place = partition
      rows = ResponseRowIDs(url, place, near: partition)
    } else {
      let content = hashKey.hash("content \(key.partition.name) \(key.content)")
      place = (partition.isEmpty ? Self.anonymous : partition) + content
      rows = ResponseRowIDs(url, place, near: content)
    }
  }

  /// Stands for the anonymous partition in front of a content.
  fileprivate static let anonymous = Data(count: 16)
  private static let isAnonymous = "partition = x'' OR substr(partition, 1, 16) = zeroblob(16)"

  /// The SQL condition for the rows of a partition, whose parameter is ``values(ofAll:)``.
  static func condition(ofAll partition: Data) -> String {
    partition.isEmpty ? isAnonymous : "substr(partition, 1, 16) = ?1"
  }

  static func values(ofAll partition: Data) -> [StoredValue] {
    partition.isEmpty ? [] : [.blob(partition)]
  }

  /// The SQL condition for the rows of all partitions except the anonymous one.
  static let conditionOfCredentials = "NOT (\(isAnonymous))"
}

/// What a row has in the place of ``HashedCacheKey/place``.
struct HashedPlace {
  /// Empty for the anonymous partition.
  let partition: Data
  /// Whether there is the content of a `QUERY`.
  let hasContent: Bool

  init(_ place: Data) {
    hasContent = place.count > HashedCacheKey.anonymous.count
    let partition = place.prefix(HashedCacheKey.anonymous.count)
    self.partition = partition == HashedCacheKey.anonymous ? Data() : Data(partition)
  }
}

/// The row IDs of a URL's responses: they are computed from the hashes of the URL and of the
/// partition or the content, and those of one key are consecutive. There is room for 32 variants.
///
/// So responses are found without an index, which would be too large for memory if there are many:
/// a lookup reads one page of the file, among a thousand responses as among a hundred thousand.
struct ResponseRowIDs {
  let range: ClosedRange<Int64>
  private let url: Data
  private let place: Data?

  /// The rows of a URL and a ``HashedCacheKey/place``, at a position that a hash determines.
  init(_ url: Data, _ place: Data, near hash: Data) {
    let prefix =
      Self.prefix(of: url, bits: Self.urlBits) << Self.partitionBits
      | Self.prefix(of: hash, bits: Self.partitionBits)
    let first = prefix << Self.variantBits
    range = first...first + (1 << Self.variantBits) - 1
    (self.url, self.place) = (url, place)
  }

  /// The rows of a URL in all partitions.
  init(allOf url: Data) {
    let bits = Self.partitionBits + Self.variantBits
    let first = Self.prefix(of: url, bits: Self.urlBits) << bits
    range = first...first + (1 << bits) - 1
    (self.url, place) = (url, nil)
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
    return place == nil ? rows : "\(rows) AND partition = ?4"
  }

  var values: [StoredValue] {
    let values: [StoredValue] = [
      .integer(range.lowerBound), .integer(range.upperBound), .blob(url),
    ]
    return values + (place.map { [.blob($0)] } ?? [])
  }
}
