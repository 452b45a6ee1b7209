internal import Foundation

/// A number by which damage shows that SQLite doesn't see: it checks the form of its pages, not what is in the rows.
///
/// Each word goes through functions that can be undone, so one word that has changed always changes the number; of
/// other damage one in 2⁶⁴ would go unseen. Against intent it is no protection.
struct Checksum: Sendable, Hashable {
  private var state: UInt64 = 0x243F_6A88_85A3_08D3

  /// The number for what was added, in that order.
  var value: Int64 { Int64(bitPattern: state ^ state >> 32) }

  mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }

  mutating func add(_ number: Double) { add(number.bitPattern) }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add($0) }
  }

  mutating func add(_ data: Data) {
    // `Data` has its bytes in one place, always.
    data.withContiguousStorageIfAvailable { add($0) }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    add(UInt64(bytes.count))
    let whole = bytes.count & ~7
    for start in stride(from: 0, to: whole, by: 8) {
      var word: UInt64 = 0
      for place in 0..<8 { word |= UInt64(bytes[start + place]) << UInt64(8 * place) }
      add(word)
    }
    for byte in bytes[whole...] { add(UInt64(byte)) }
  }
}
