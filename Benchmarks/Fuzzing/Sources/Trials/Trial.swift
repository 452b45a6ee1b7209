import CFuzzing

/// What an input may cost at most: a constant, and so much a byte. In a build with the address
/// sanitizer and coverage everything takes some ten times as long as in a release build.
package struct Bounds: Sendable {
  /// Processor time in nanoseconds.
  let time: (constant: Int, perByte: Int)
  /// Bytes that are allocated at once.
  let memory: (constant: Int, perByte: Int)

  package init(
    time: (constant: Int, perByte: Int) = (20_000_000, 20_000),
    memory: (constant: Int, perByte: Int) = (2 << 20, 64)
  ) {
    (self.time, self.memory) = (time, memory)
  }
}

/// One input.
struct Trial {
  private let choices: Choices
  private let payload: [UInt8]

  /// How many bytes at the beginning of an input are choices.
  private static let choiceCount = 8
  /// How long a payload is made to see how cost grows.
  private static let grown = (short: 16 << 10, long: 64 << 10)
  /// One input in so many is repeated.
  private static let rarity: UInt64 = 1999
  /// How many times as long a unit of work may take in a longer input.
  private static let slowdown = 2.0

  init(_ input: [UInt8]) {
    choices = Choices(input.prefix(Self.choiceCount))
    payload = Array(input.dropFirst(Self.choiceCount))
  }

  /// Runs the input, and one in some thousand repeated as well.
  func run(_ fuzzer: any Fuzzer) {
    check(payload, by: fuzzer)
    guard !payload.isEmpty, payload.count < 2048, hash % Self.rarity == 0 else { return }
    let (short, long) = (repeated(Self.grown.short), repeated(Self.grown.long))
    check(long, by: fuzzer)
    claim(grows(from: short, to: long, fuzzer), "the cost isn't linear")
  }

  private func check(_ payload: [UInt8], by fuzzer: any Fuzzer) {
    memory_begin()
    let time = time(of: payload, fuzzer)
    let memory = memory_peak()
    let bounds = fuzzer.bounds
    let most = bounds.memory.constant + payload.count * bounds.memory.perByte
    claim(memory <= most, "\(memory) bytes for \(payload.count), of \(most)")
    let longest = bounds.time.constant + payload.count * bounds.time.perByte
    // The first input of a kind fills tables, and others use the machine as well.
    claim(
      time <= longest || (0..<4).contains { _ in self.time(of: payload, fuzzer) <= longest },
      "\(payload.count) bytes take longer than \(longest) ns")
  }

  private func grows(from short: [UInt8], to long: [UInt8], _ fuzzer: any Fuzzer) -> Bool {
    let ratio = fuzzer.growth(from: short, to: long, choices)
    return (0..<4).contains { _ in
      let (less, more) = (time(of: short, fuzzer), time(of: long, fuzzer))
      return Double(more) <= Self.slowdown * ratio * Double(less) + 10_000_000
    }
  }

  private func time(of payload: [UInt8], _ fuzzer: any Fuzzer) -> Int {
    let start = thread_time()
    fuzzer.run(choices, payload)
    return Int(thread_time() - start)
  }

  /// The payload over and over; at every second choice with a number between, so that no two are
  /// alike.
  private func repeated(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var number = 0
    let isNumbered = hash / Self.rarity % 2 == 0
    while bytes.count < count {
      bytes += payload
      if isNumbered { bytes += "\(number)".utf8 }
      number += 1
    }
    return Array(bytes.prefix(count))
  }

  /// The same in every run (FNV-1a).
  private var hash: UInt64 {
    payload.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
