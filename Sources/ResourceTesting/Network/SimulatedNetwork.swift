import Foundation
public import ResourceLoading
import ResourcePrimitives
import Synchronization

/// A network in the test's process, as bad as a test wants it, on which minutes pass without
/// waiting.
///
/// ```swift
/// let network = SimulatedNetwork(seed: 7, conditions: .bad)
/// network.serve("api.example.org") { _ in .json(#"{"login": "octocat"}"#) }
/// let login = try await network.run {
///   let client = Client(baseURL: "https://api.example.org") {
///     $0.transport = network
///     $0.clock = network.clock
///     $0.middleware = [RetryMiddleware(RetryPolicy(maximumAttempts: 10))]
///   }
///   return try await client.load(.text(.get("/users/1")))
/// }
/// ```
///
/// What happens to a request is drawn from the seed, its method and URL, and how many such requests
/// came before. A seed that fails a test fails it again, and ``story`` says what happened.
///
/// All members may be used from any thread.
public final class SimulatedNetwork: Transport {
  /// The time of the network. Give it to the client, and to anything else that keeps time.
  public let clock = ManualClock()

  /// The seed of everything that happens.
  public let seed: UInt64

  private let conditions: NetworkConditions
  private let state = Mutex(State())
  private let time: LoadClock

  private struct State {
    var hosts: [String: Host] = [:]
    var counts: [String: Int] = [:]
    var requests = 0
    var story: [String] = []
  }

  private struct Host {
    let conditions: NetworkConditions
    let answer: @Sendable (WireRequest) -> StubAnswer
  }

  /// Creates a network without hosts.
  ///
  /// - Parameters:
  ///   - seed: The seed of everything that happens.
  ///   - conditions: How requests are treated, unless their host has conditions of its own.
  public init(seed: UInt64, conditions: NetworkConditions = NetworkConditions()) {
    (self.seed, self.conditions) = (seed, conditions)
    time = LoadClock(clock)
  }
}

extension SimulatedNetwork {
  /// Adds a host, or replaces it. Requests to hosts that were never added fail, as their names
  /// can't be resolved.
  ///
  /// - Parameters:
  ///   - host: The name, without a port.
  ///   - conditions: How requests to it are treated; `nil` for the network's conditions.
  ///   - answer: Called when a request has arrived, on any thread; also for requests whose answer
  ///     is lost.
  public func serve(
    _ host: String, conditions: NetworkConditions? = nil,
    answer: @escaping @Sendable (WireRequest) -> StubAnswer
  ) {
    let host = (host.lowercased(), Host(conditions: conditions ?? self.conditions, answer: answer))
    state.withLock { $0.hosts[host.0] = host.1 }
  }

  /// What has happened so far: a line for each event, with the time and the number of the request.
  public var story: String { state.withLock(\.story).joined(separator: "\n") }

  /// Starts an exchange with one of the hosts.
  public func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    let name = "\(request.method) \(request.url.absoluteString)"
    let (number, host, count) = state.withLock { state in
      state.requests += 1
      defer { state.counts[name, default: 0] += 1 }
      let host = request.url.host(percentEncoded: false)?.lowercased() ?? ""
      return (state.requests, state.hosts[host], state.counts[name, default: 0])
    }
    let line = Line(network: self, number: number)
    line.note("is sent: \(request.method) \(request.url.host() ?? "")\(request.url.path())")
    let steps = host.map { host in
      let fate = NetworkFate(seed: seed, of: name, after: count, host.conditions)
      return [line.outward(request, fate, host.conditions, host.answer)]
    }
    let exchange = AnsweredExchange(steps ?? [line.end(.simulated(.unknownHost))], receiver) {
      if $0 == .cancelled { line.note("is cancelled") }
    }
    exchange.play()
    return exchange
  }

  fileprivate func note(_ number: Int, _ text: String) {
    let seconds = (clock.now.offset / .milliseconds(1)).rounded() / 1000
    state.withLock { $0.story.append("\(seconds) s: request \(number) \(text)") }
  }
}

/// The path of one request and its response.
private struct Line: Sendable {
  let network: SimulatedNetwork
  let number: Int

  func note(_ text: String) { network.note(number, text) }

  func end(_ error: LoadError) -> AnswerStep {
    .wait {
      note("fails: \(error.reason)")
      return [.end(error)]
    }
  }
}

extension Line {
  private typealias Answer = @Sendable (WireRequest) -> StubAnswer

  /// Returns the steps of the request's way to the server and of what follows.
  func outward(
    _ request: WireRequest, _ fate: NetworkFate, _ conditions: NetworkConditions,
    _ answer: @escaping @Sendable (WireRequest) -> StubAnswer
  ) -> AnswerStep {
    let clock = LoadClock(network.clock)
    let length = request.body?.length ?? 0
    return .wait {
      if isCutOff(conditions) { return [end(.noNetwork)] }
      try await clock.sleep(fate.way + conditions.time(for: length))
      switch fate.outcome {
      case _ where isCutOff(conditions): return [end(.connectionLost)]
      case .refused: return [end(.simulated(.unreachable))]
      case .requestLost: return [end(.connectionLost)]
      default: break
      }
      let answer = answer(request)
      note("has arrived")
      let sent = length > 0 ? [AnswerStep.sent(length)] : []
      return sent + [.wait(for: fate.wayBack, on: clock)]
        + backward(answer.steps, fate, conditions, clock) + stalled(request, fate, clock)
    }
  }

  /// Returns what follows an answer that stalls: the engine's own idle limit, unless the request
  /// has one, which is measured above the engine.
  private func stalled(
    _ request: WireRequest, _ fate: NetworkFate, _ clock: LoadClock
  ) -> [AnswerStep] {
    guard case .stalled = fate.outcome else { return [] }
    let stall = AnswerStep.wait {
      note("stalls")
      return []
    }
    guard request.idleTimeout == nil else { return [stall] }
    return [stall, .wait(for: .seconds(60), on: clock), end(.passedLimit)]
  }

  private func isCutOff(_ conditions: NetworkConditions) -> Bool {
    conditions.outages.contains { $0.contains(network.clock.now.offset) }
  }

  private func backward(
    _ steps: [AnswerStep], _ fate: NetworkFate, _ conditions: NetworkConditions, _ clock: LoadClock
  ) -> [AnswerStep] {
    switch fate.outcome {
    case .answerLost: return [end(.connectionLost)]
    case .stalled(..<0): return []
    default: break
    }
    var passed: [AnswerStep] = []
    for step in steps {
      passed.append(checked(conditions))
      guard case .chunk(let body) = step else {
        passed.append(step)
        continue
      }
      for piece in body.pieces(fate.divisions, upTo: fate.share) {
        passed.append(.wait(for: conditions.time(for: piece.count), on: clock))
        passed += [checked(conditions), .chunk(piece)]
      }
      if fate.share < 1 { break }
    }
    return passed.ending(as: fate.outcome, line: self)
  }

  /// Ends the response if there is an outage.
  private func checked(_ conditions: NetworkConditions) -> AnswerStep {
    .wait { isCutOff(conditions) ? [end(.connectionLost)] : [] }
  }
}

extension [AnswerStep] {
  /// The steps with the end for an outcome, which is recorded.
  fileprivate func ending(as outcome: NetworkFate.Outcome, line: Line) -> [AnswerStep] {
    var steps = self
    if case .end? = steps.last { steps.removeLast() }
    switch outcome {
    case .cut: return steps + [line.end(.connectionLost)]
    case .stalled: return steps
    default:
      guard let end = last else { return steps }
      return steps + [
        .wait {
          line.note("is answered")
          return [end]
        }
      ]
    }
  }
}

extension NetworkFate {
  fileprivate var share: Double {
    switch outcome {
    case .cut(let share), .stalled(let share): share
    default: 1
    }
  }
}

extension NetworkConditions {
  /// The time that a number of bytes takes.
  fileprivate func time(for count: Int) -> Duration {
    guard let bytesPerSecond, count > 0 else { return .zero }
    return .seconds(1) * (Double(count) / Double(Swift.max(1, bytesPerSecond)))
  }
}

extension Data {
  /// The first part of the data, divided at some shares of its length.
  fileprivate func pieces(_ divisions: [Double], upTo share: Double) -> [Data] {
    let end = Int(Double(count) * share)
    let places = divisions.map { Int(Double(count) * $0) }.filter { $0 < end } + [end]
    var (pieces, start) = ([Data](), 0)
    for place in places where place > start {
      pieces.append(dropFirst(start).prefix(place - start))
      start = place
    }
    return pieces
  }
}

extension LoadError {
  fileprivate static let noNetwork = simulated(
    LoadError(.connection, "there is no network", advice: "Connect to a network"))

  fileprivate static let passedLimit = LoadError(.timedOut, "the platform's time limit passed")

  /// Returns the error with the underlying one that shows that nothing was sent.
  fileprivate static func simulated(_ error: LoadError) -> LoadError {
    var error = error
    error.underlying = MissingConnection()
    return error
  }
}
