import ResourceTesting
import Testing

@Suite struct SeededGeneratorTests {
  @Test func `the numbers are those of the published algorithm`() {
    var random = SeededGenerator(seed: 1_234_567)

    let numbers = (0..<5).map { _ in random.next() }

    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func `equal seeds give equal numbers, and different seeds different ones`() {
    func draw(_ seed: UInt64) -> [Int] {
      var random = SeededGenerator(seed: seed)
      return (0..<20).map { _ in Int.random(in: 0..<1000, using: &random) }
    }

    #expect(draw(1) == draw(1))
    #expect(draw(1) != draw(2))
  }
}
