/// How a ``SimulatedNetwork`` treats requests: how long they take, and how often they fail.
///
/// Shares are between 0, never, and 1, always. The first that applies decides, in the order in
/// which they are listed here.
public struct NetworkConditions: Sendable, Hashable {
  /// The time from one end to the other, drawn anew for the request and for its response.
  public var latency: ClosedRange<Duration>

  /// The rate in either direction, in bytes a second; `nil` for no limit.
  public var bytesPerSecond: Int?

  /// The times, from the network's beginning, at which nothing gets through: requests fail as they
  /// do without a network, and a response that is under way breaks off.
  public var outages: [Range<Duration>] = []

  /// The share of requests whose connection is refused, so that nothing is sent.
  public var refusals = 0.0

  /// The share of requests that are lost on the way: the connection breaks before the server has
  /// the request.
  public var lostRequests = 0.0

  /// The share of requests that the server handles, and whose connection breaks before the client
  /// has any of the answer.
  public var lostAnswers = 0.0

  /// The share of answers that break off: after the head, or somewhere in the body.
  public var cutAnswers = 0.0

  /// The share of answers that stop forever at some point, while the connection stays open. Such a
  /// load ends by a time limit; by an idle limit of 60 seconds, as engines have it, if none is set.
  public var stalledAnswers = 0.0

  /// Creates the conditions of a network that delays requests and loses none.
  ///
  /// - Parameter latency: The time from one end to the other.
  public init(latency: ClosedRange<Duration> = .milliseconds(10)...(.milliseconds(50))) {
    self.latency = latency
  }
}

extension NetworkConditions {
  /// A network on which one request in five fails, in any of these ways.
  public static var bad: NetworkConditions {
    var conditions = NetworkConditions(latency: .milliseconds(50)...(.seconds(2)))
    conditions.bytesPerSecond = 50_000
    conditions.refusals = 0.05
    conditions.lostRequests = 0.04
    conditions.lostAnswers = 0.04
    conditions.cutAnswers = 0.04
    conditions.stalledAnswers = 0.03
    return conditions
  }
}
