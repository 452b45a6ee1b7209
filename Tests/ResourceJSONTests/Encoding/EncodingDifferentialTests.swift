import Testing

struct EncodingDifferentialTests {
  /// The number of values for each part. `Benchmarks/fuzz writer` compares a million.
  private static let trials = 600

  @Test(arguments: 0..<8)
  func `values of any type are written byte for byte as JSONEncoder writes them`(part: Int) {
    let differences = (0..<Self.trials).lazy
      .compactMap { EncodingTrial.difference(UInt64(part) << 32 + UInt64($0)) }

    for difference in differences.prefix(5) { Issue.record("\(difference)") }
  }
}
