/// What happens to one request on a simulated network.
struct NetworkFate: Sendable {
  enum Outcome: Sendable {
    case whole
    case refused
    case requestLost
    case answerLost
    /// The answer breaks off after a share of its body.
    case cut(Double)
    /// The answer stops after a share of its body; below zero, before its head.
    case stalled(Double)
  }

  let outcome: Outcome
  /// The time to the server.
  let way: Duration
  /// The time back.
  let wayBack: Duration
  /// Where the body is divided, as shares of its length, in order.
  let divisions: [Double]
}

extension NetworkFate {
  /// Draws the fate of a request that `count` such requests have preceded. It depends on nothing
  /// but the arguments, so other requests and the order in which tasks run don't change it.
  init(seed: UInt64, of request: String, after count: Int, _ conditions: NetworkConditions) {
    var random = SeededGenerator(seed: "\(seed) \(count) \(request)".utf8.fnv1a)
    outcome = Outcome(conditions, using: &random)
    way = conditions.latency.random(using: &random)
    wayBack = conditions.latency.random(using: &random)
    divisions = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Double.random(in: 0...1, using: &random)
    }.sorted()
  }
}

extension NetworkFate.Outcome {
  fileprivate init(_ conditions: NetworkConditions, using random: inout SeededGenerator) {
    func isChosen(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
    if isChosen(conditions.refusals) {
      self = .refused
    } else if isChosen(conditions.lostRequests) {
      self = .requestLost
    } else if isChosen(conditions.lostAnswers) {
      self = .answerLost
    } else if isChosen(conditions.cutAnswers) {
      self = .cut(.random(in: 0..<1, using: &random))
    } else if isChosen(conditions.stalledAnswers) {
      self = .stalled(.random(in: -1..<1, using: &random))
    } else {
      self = .whole
    }
  }
}

extension ClosedRange<Duration> {
  fileprivate func random(using random: inout SeededGenerator) -> Duration {
    lowerBound + (upperBound - lowerBound) * Double.random(in: 0...1, using: &random)
  }
}

extension Sequence<UInt8> {
  /// The hash of Fowler, Noll and Vo (1a, 64 bits), which is the same in every process.
  fileprivate var fnv1a: UInt64 {
    reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}
