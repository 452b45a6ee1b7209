package import Foundation
internal import ResourcePrimitives

/// The key of the hashes under which a storage keeps responses: random, created and stored with it.
package struct HashKey: Sendable {
  private let bytes: [UInt8]
  /// The key with a checksum, as it is stored.
  package let stored: Data
  /// Identifies the history of removals, which begins with the key.
  package let history: Int64

  package init() { self.init(bytes: (0..<Self.count).map { _ in .random(in: 0...255) }) }

  /// Reads a stored key; `nil` if it is damaged.
  package init?(_ stored: Data) {
    self.init(bytes: Array(stored.prefix(Self.count)))
    guard stored == self.stored else { return nil }
  }

  /// The key that `salt` determines.
  init(from salt: [UInt8]) { self.init(bytes: Array(SecureHash.hmac("hashes".utf8, key: salt))) }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
    var checksum = Checksum()
    checksum.add(Data(bytes))
    stored = Data(bytes) + checksum.value.bigEndianBytes
    history = SecureHash.hmac("history".utf8, key: bytes).prefix(8)
      .reduce(0) { $0 << 8 | Int64($1) }
  }

  package func hash(_ url: String) -> Data {
    Data(SecureHash.hmac(url.utf8, key: bytes).prefix(16))
  }

  package func hash(_ partition: CachePartition) -> Data {
    partition == .anonymous ? Data() : hash(" \(partition.name)")
  }

  private static let count = 32
}
