/// Where in its table the responses of a URL are: the numbers of their rows come from a hash of the URL and of whose
/// they are, and those of one key follow one another.
///
/// So they are found without an index, which for many responses is too large to stay in memory: to look one up
/// takes one page from the file, among a thousand as among a hundred thousand. There is room for 32 variants.
///
/// Keys whose hashes are the same share their places; their texts tell them apart. Who brings that about on purpose
/// has only made the cache forget something.
struct ResponsePlaces {
  /// The numbers of the rows.
  let ids: ClosedRange<Int64>
  private let url: String
  private let partition: String?

  /// The places of a key's variants.
  init(_ key: CacheKey) {
    self.init(Self.first(of: key), count: 1 << Self.variantBits, key.url, key.partition.name)
  }

  /// The places of a URL's variants, whoever they belong to.
  init(everybodysOf url: String) {
    let bits = Self.partitionBits + Self.variantBits
    self.init(Self.hash(url, bits: Self.urlBits) << bits, count: 1 << bits, url, nil)
  }

  private init(_ first: Int64, count: Int64, _ url: String, _ partition: String?) {
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
}

extension ResponsePlaces {
  // 63 bits in all: no number is negative.
  private static let urlBits = 40
  private static let partitionBits = 18
  private static let variantBits = 5

  private static func first(of key: CacheKey) -> Int64 {
    let url = hash(key.url, bits: urlBits) << partitionBits
    return (url | hash(key.partition.name, bits: partitionBits)) << variantBits
  }

  /// A hash that is the same in every process: FNV-1a, of which the high bits are the better ones.
  /// See <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
  private static func hash(_ text: String, bits: Int) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // Short texts hardly reach the high bits.
    hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
    return Int64(hash >> (64 - UInt64(bits)))
  }
}
