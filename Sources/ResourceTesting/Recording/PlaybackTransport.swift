import Foundation
public import ResourceLoading
import ResourcePrimitives

/// A transport that answers from a HAR file instead of a network: a recording of
/// ``RecordingTransport``, or a file that a browser or a proxy has written.
///
/// ```swift
/// let playback = try PlaybackTransport(HTTPArchive(contentsOf: file))
/// let client = Client(baseURL: "https://api.example.org") {
///   $0.transport = playback
/// }
/// ```
///
/// A request that isn't in the file fails with a `LoadError` of kind `notRecorded` that shows the
/// nearest entry and the differences. A request whose response body isn't complete in the file
/// fails with that kind, too.
///
/// An exchange that failed fails again with the same kind of error. An exchange that its client
/// gave up delivers the bytes that had arrived and then nothing, so a load that was cancelled or
/// timed out ends in the same way when it is played.
///
/// All members may be used from any thread.
public final class PlaybackTransport: Transport {
  private let list: PlaybackList
  private let pace: Pace
  private let clock: LoadClock

  /// How many requests an entry answers, and in which order.
  @nonexhaustive
  public enum Order: Sendable, Hashable {
    /// Each entry answers one request. If several fit, the first one answers.
    case once
    /// Each entry answers one request, and requests have to come in the order of the file.
    case inOrder
    /// Each entry that fits answers one request, and the last one answers all further requests.
    case repeatedly
  }

  /// How fast responses arrive.
  public struct Pace: Sendable, Hashable {
    let factor: Double

    /// Responses arrive at once.
    public static let immediate = Pace(factor: 0)

    /// Responses arrive as fast as they were recorded.
    public static let recorded = Pace(factor: 1)

    /// The recorded times are multiplied by a factor, such as 0.1 for ten times as fast.
    public static func scaled(by factor: Double) -> Pace {
      Pace(factor: factor.isFinite ? min(max(factor, 0), 1000) : 0)
    }
  }

  /// Creates a transport that answers from an archive.
  ///
  /// - Parameters:
  ///   - archive: The exchanges.
  ///   - matchers: What has to match between a request and the entry that answers it.
  ///   - order: How often entries answer, and in which order.
  ///   - pace: How fast responses arrive. The head is delivered when the first byte had arrived,
  ///     and the body at the end.
  ///   - clock: The clock that measures these times; with a ``ManualClock`` no real time passes.
  public init(
    _ archive: HTTPArchive, matching matchers: [RequestMatcher] = [.method, .url],
    order: Order = .once, pace: Pace = .immediate, clock: some Clock<Duration> = ContinuousClock()
  ) {
    list = PlaybackList(archive, matchers, order)
    (self.pace, self.clock) = (pace, LoadClock(clock))
  }
}

extension PlaybackTransport {
  /// Starts to answer a request.
  public func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    play(Result { () throws(LoadError) in try answer(to: request) }, to: request, receiver)
  }

  /// `true`, because the file may have WebSockets. The server of one sends what was received, and
  /// waits before each message for those that were sent before it; what the client sends may
  /// differ.
  public var canSwitchProtocols: Bool { true }

  /// The entries that haven't answered a request so far, in the order of the file.
  public var unplayed: [HTTPArchive.Entry] { list.unplayed }

  func answer(to request: WireRequest) throws(LoadError) -> HTTPArchive.Entry {
    let asked = try asked(request)
    guard let entry = list.take(for: asked) else { throw list.missing(asked) }
    return entry
  }

  /// Returns the entry that answers a request; `nil` if it isn't recorded.
  func answerIfRecorded(to request: WireRequest) throws(LoadError) -> HTTPArchive.Entry? {
    try list.take(for: asked(request))
  }

  private func asked(_ request: WireRequest) throws(LoadError) -> HTTPArchive.Request {
    var asked = HTTPArchive.Request(
      request.method.rawValue, url: request.url.absoluteString, headers: request.headers)
    do {
      if list.needsBodies, let body = request.body {
        asked.body = HTTPArchive.Body(
          try body.data(), mediaType: request.headers[.contentType])
      }
    } catch {
      throw error as? LoadError ?? LoadError(.invalidRequest, "\(error)", underlying: error)
    }
    return asked
  }

  /// Plays an entry, or the error if there is none.
  func play(
    _ answer: Result<HTTPArchive.Entry, LoadError>, to request: WireRequest,
    _ receiver: any ExchangeReceiver
  ) -> any Exchange {
    if case .success(let entry) = answer,
      let (head, steps) = entry.socket?.socket(for: request)
    {
      let exchange = StubSocketExchange(request, receiver, log: Observed(StubTransport.State()))
      exchange.play(head, steps, after: {})
      return exchange
    }
    let steps: [AnswerStep]
    do throws(LoadError) {
      steps = try self.steps(answer.get(), for: request)
    } catch {
      steps = [.end(error)]
    }
    let exchange = AnsweredExchange(steps, receiver)
    exchange.play()
    return exchange
  }

  /// Returns the steps of an entry. They have no end if its client gave the exchange up.
  private func steps(
    _ entry: HTTPArchive.Entry, for request: WireRequest
  ) throws(LoadError) -> [AnswerStep] {
    let response = try PlayedResponse(
      entry, isOwn: list.archive.isOwn, hasBody: request.method != .head, request.headers)
    var steps: [AnswerStep] = request.body.map { [.sent($0.length)] } ?? []
    steps += wait(entry.timings.untilHead)
    if let response {
      steps.append(.head(response.head))
      steps += wait(entry.timings.receive ?? .zero)
      let (body, chunkSize) = (response.body, 64 << 10)
      for start in stride(from: 0, to: body.count, by: chunkSize) {
        steps.append(.chunk(body.dropFirst(start).prefix(chunkSize)))
      }
    }
    steps.append(.measured(ExchangeMetrics(entry)))
    if entry.failure?.kind != HTTPArchive.Failure.cancelled {
      steps.append(.end(entry.failure?.error))
    }
    return steps
  }

  private func wait(_ duration: Duration) -> [AnswerStep] {
    let pause = min(duration, .century) * pace.factor
    return pause > .zero ? [.wait(for: pause, on: clock)] : []
  }
}

extension HTTPArchive.Entry {
  /// The answer that plays a WebSocket; `nil` for anything else.
  fileprivate var socket: StubAnswer? {
    guard response.status == Status.switchingProtocols.rawValue else { return nil }
    var steps = messages.map { $0.isSent ? StubSocket.Step.receive : .send($0.content) }
    switch failure?.kind {
    case nil: steps.append(.close())
    case HTTPArchive.Failure.cancelled?: break
    default: steps.append(.drop)
    }
    return .socket(steps, subprotocol: response.headers["Sec-WebSocket-Protocol"])
  }
}

extension ExchangeMetrics {
  fileprivate init(_ entry: HTTPArchive.Entry) {
    self.init(ended: entry.timings.total)
    if entry.response.status > 0 { firstByte = entry.timings.untilHead }
    httpVersion = entry.response.httpVersion.isEmpty ? nil : entry.response.httpVersion
    bytesReceived = entry.response.body?.size
  }
}
