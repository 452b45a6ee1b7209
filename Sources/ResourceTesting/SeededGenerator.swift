/// A random number generator whose numbers depend only on the seed, which makes tests of random
/// decisions repeatable.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let delay = Int.random(in: 0..<100, using: &random)
/// ```
///
/// The numbers are those of SplitMix64 (Steele, Lea, Flood: *Fast Splittable Pseudorandom Number
/// Generators*, 2014). They are predictable; never use them for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
  private var state: UInt64

  /// Creates a generator; equal seeds give equal numbers.
  public init(seed: UInt64) {
    state = seed
  }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
