import Foundation
import ResourceJSON
import Testing

struct DifferentialTests {
  @Test(arguments: 0..<8)
  func `types of any shape get the values and the errors that JSONDecoder gives`(part: Int) {
    var failures = 0
    for number in 0..<500 {
      var generator = Generator(UInt64(part * 1_000_000 + number))
      let shape = generator.shape()
      let document = generator.document(for: shape)
      let decoder = generator.decoder()

      let (ours, foundation) = Shape.$current.withValue(shape) {
        Outcome.both(Probe.self, Data(document.utf8), decoder) { $0.text }
      }

      if foundation.isError, shape.hasDictionary { continue }
      guard !ours.agrees(with: foundation), failures < 5 else { continue }
      failures += 1
      Issue.record(
        """
        \(part) \(number): \(document)
        \(shape)
        \(decoder.keyDecodingStrategy) \(decoder.dateDecodingStrategy)
        ours       \(ours) \(ours.path)
        foundation \(foundation) \(foundation.path)
        """)
    }
  }
}
