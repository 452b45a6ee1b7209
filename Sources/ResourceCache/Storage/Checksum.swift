package import Foundation

/// A checksum for damage that a database doesn't notice. SQLite checks the structure of its pages
/// and not the content of rows.
///
/// Each step is reversible, so a change of a single word always changes the checksum; other damage
/// goes unnoticed once in 2⁶⁴ times. It doesn't protect against deliberate changes.
package struct Checksum: Sendable, Hashable {
  private var state: UInt64 = 0x243F_6A88_85A3_08D3

  package init() {}

  /// The checksum of everything that was added, in this order.
  package var value: Int64 { Int64(bitPattern: state ^ state >> 32) }

  package mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }

  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { unsafe add($0) }
  }

  package mutating func add(_ data: Data) {
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
