import Foundation
import ResourceJSON

/// Prints doubles of random bits and reads them back: each must come back with the bits that it
/// had.
///
///     doubles [COUNT [SEED]]
///
/// Each is printed with as few digits as tell it apart, and one in 16 with 17 as well, which takes
/// longer. Ends with status 1 at the first that comes back otherwise.
@main
enum Doubles {
  /// How many a document has.
  private static let size = 10_000

  static func main() throws {
    let numbers = CommandLine.arguments.dropFirst().map { Int($0) }
    let count = (numbers.first ?? nil) ?? 1_000_000
    var random = Bits(state: UInt64((numbers.dropFirst().first ?? nil) ?? 1))
    var done = 0
    while done < count {
      let doubles = (0..<min(size, count - done)).map { _ in random.nextDouble() }
      try check(doubles) { "\($0)" }
      try check(doubles.prefix(size / 16)) { String(format: "%.16e", $0) }
      done += doubles.count
    }
    print("\(done) doubles came back with the same bits")
  }

  private static func check(
    _ doubles: some Collection<Double>, _ print: (Double) -> String
  ) throws {
    var document = Array("[".utf8)
    for double in doubles {
      document += print(double).utf8
      document.append(UInt8(ascii: ","))
    }
    document[document.count - 1] = UInt8(ascii: "]")
    let read = try JSONReader().decode([Double].self, from: Data(document))
    guard read.count == doubles.count else { exit(1) }
    for (double, read) in zip(doubles, read) where read.bitPattern != double.bitPattern {
      Swift.print("\(print(double)) is read as \(read)")
      exit(1)
    }
  }
}

/// Random bits (SplitMix64), the same in every run.
private struct Bits {
  var state: UInt64

  /// A double of random bits; JSON has no infinity, and nothing that isn't a number.
  mutating func nextDouble() -> Double {
    while true {
      let double = Double(bitPattern: next())
      if double.isFinite { return double }
    }
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
