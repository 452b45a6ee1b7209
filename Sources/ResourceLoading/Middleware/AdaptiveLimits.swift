import ResourcePrimitives
import Synchronization

/// The adaptive limits of hosts.
final class AdaptiveLimits: Sendable {
  private let range: ClosedRange<Int>
  private let hosts = Mutex<[Origin: AdaptiveLimit]>([:])

  init(_ range: ClosedRange<Int>) { self.range = range }

  /// The limit of an unknown host.
  var first: Int { AdaptiveLimit(range).limit }

  /// The outcome of a request.
  enum Sample: Sendable {
    case latency(Duration)
    /// The server was too busy, or didn't answer.
    case overload
  }

  /// The most hosts that are remembered; one more clears all.
  private static let maximumHosts = 1000

  /// Returns the new limit of a host.
  ///
  /// - Parameters:
  ///   - origin: The host.
  ///   - sample: The outcome of a request.
  ///   - inFlight: The requests to it in flight, this one included.
  /// - Returns: The limit, and whether all other hosts were forgotten.
  func limit(
    of origin: Origin, after sample: Sample, inFlight: Int
  ) -> (limit: Int, forgotOthers: Bool) {
    hosts.withLock { hosts in
      let isFull = hosts.count >= Self.maximumHosts && hosts[origin] == nil
      if isFull { hosts = [:] }
      hosts[origin, default: AdaptiveLimit(range)].adapt(to: sample, inFlight: inFlight)
      return (hosts[origin]?.limit ?? first, isFull)
    }
  }

  /// Throws if a load that has waited has less time left than the latest responses took. Sending it
  /// would take the server's time from loads whose responses can still be in time.
  func checkTime(_ remaining: Duration?, for origin: Origin) throws(LoadError) {
    guard let remaining else { return }
    let latency = Duration.seconds(hosts.withLock { $0[origin]?.recent ?? 0 })
    guard remaining < latency else { return }
    throw LoadError(
      .timedOut,
      "the load waited in a queue, and has \(remaining.brief) left for a response that takes \(latency.brief)",
      advice: "Raise options.timeout or the caller's Deadline, or send fewer requests at once")
  }

  /// Sends a request, and passes on its outcome.
  func measured(
    _ next: Next, _ send: () async throws -> Response, adapt: (Sample) -> Void
  ) async throws -> Response {
    let start = next.clock.now()
    do {
      let response = try await send()
      if [429, 503].contains(response.status) {
        adapt(.overload)
      } else if next.keepsBody {
        // How long a file or a stream takes depends on its size and its reader.
        adapt(.latency(next.clock.now() - start))
      }
      return response
    } catch {
      let cause = next.context.cause(of: error) as? LoadError
      if let cause, [.connection, .timedOut].contains(cause.kind) { adapt(.overload) }
      throw error
    }
  }
}

/// A limit on requests in flight that follows their latency.
///
/// The method is that of `Gradient2Limit` in Netflix's concurrency-limits: the limit is multiplied
/// by the ratio of the long-term latency to the latest one, and a few requests are added, so that it
/// grows until requests begin to wait in the server. The difference is that the long-term latency
/// rises ten times more slowly while the limit is used up.
struct AdaptiveLimit: Sendable {
  private let range: ClosedRange<Double>
  private var estimate: Double
  /// The long-term latency in seconds; `nil` before the first response.
  private var usual: Double?
  /// The latency of the latest responses in seconds.
  private(set) var recent = 0.0

  init(_ range: ClosedRange<Int>) {
    self.range = Double(range.lowerBound)...Double(range.upperBound)
    estimate = min(self.range.upperBound, max(self.range.lowerBound, 20))
  }

  /// The limit.
  var limit: Int { Int(estimate) }

  /// The ratio of the latency to the long-term one above which the limit shrinks.
  private static let tolerance = 1.5
  /// The requests that may wait in the server.
  private static let queue = 4.0
  /// The weight of each new value.
  private static let smoothing = 0.2
  /// The number of responses that the long-term latency averages.
  private static let window = 600.0
  /// The same while the limit is used up and latency rises: queueing itself would raise the limit.
  private static let saturatedWindow = 6000.0

  mutating func adapt(to sample: AdaptiveLimits.Sample, inFlight: Int) {
    switch sample {
    case .overload: set(estimate * 0.9)
    case .latency(let duration): adapt(to: max(duration.seconds, 1e-6), inFlight: inFlight)
    }
  }

  private mutating func adapt(to latency: Double, inFlight: Int) {
    let isUsedUp = Double(inFlight) >= estimate / 2
    var usual = usual ?? latency
    let window = isUsedUp && latency > usual ? Self.saturatedWindow : Self.window
    usual += (latency - usual) * 2 / (window + 1)
    // After an overload the average is too high, and the limit would grow too far.
    if usual > 2 * latency { usual *= 0.95 }
    recent = self.usual == nil ? latency : recent + (latency - recent) * Self.smoothing
    self.usual = usual
    // The latency below a limit that isn't used up says nothing about the limit.
    guard isUsedUp else { return }
    let gradient = max(0.5, min(1, Self.tolerance * usual / latency))
    let next = estimate * gradient + Self.queue
    set(estimate + (next - estimate) * Self.smoothing)
  }

  private mutating func set(_ value: Double) {
    estimate = min(range.upperBound, max(range.lowerBound, value))
  }
}
