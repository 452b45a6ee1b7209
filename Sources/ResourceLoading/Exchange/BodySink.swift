import Foundation

/// The destination of a load's body other than memory.
protocol BodyDestination: Sendable {
  /// Whether another attempt can still begin: not once a part of the body was handed to a reader.
  var canBeginAgain: Bool { get }

  /// Whether the body has a reader that may be slower than the server, which is held back then.
  var holdsBack: Bool { get }

  /// Prepares for one exchange.
  ///
  /// - Parameter request: The request that is about to be sent. It may be changed to request only a part.
  /// - Returns: The sink of the response's body.
  /// - Throws: `LoadError` if the destination can't be opened.
  func open(for request: inout WireRequest.Draft) throws -> any BodySink
}

extension BodyDestination {
  /// `false`.
  var holdsBack: Bool { false }
}

/// Receives the body of one exchange. Its methods are called one after another, except for ``abandon()``.
protocol BodySink: AnyObject, Sendable {
  /// The number of bytes of the whole that were there before.
  var offset: Int { get }

  /// Sets the exchange that delivers the body, so that the sink can pause it.
  func attach(_ exchange: any Exchange)

  /// Handles a response head, which replaces everything before.
  ///
  /// - Returns: Whether the body is to be written here; else it is kept in memory.
  /// - Throws: `LoadError`, or ``RestartTransfer`` if the exchange must be repeated.
  func begin(_ head: ResponseHead) throws -> Bool

  /// Writes a piece of the body.
  ///
  /// - Throws: `LoadError` if it can't be written.
  func write(_ chunk: Data) throws

  /// Completes the body, which is whole as far as the transport knows.
  ///
  /// - Throws: `LoadError` if it isn't whole, or can't be written.
  func finish() throws

  /// Whether finishing may block for so long that it must not run on the thread of an engine.
  var isSlowToFinish: Bool { get }

  /// Ends a transfer that failed or isn't needed any more. After it returns, nothing is written. Can be called from any
  /// thread.
  func abandon()

  /// Adds what the response should say about the body.
  func complete(_ response: inout Response)
}

extension BodySink {
  /// Does nothing: a sink that writes everything at once never pauses the exchange.
  func attach(_ exchange: any Exchange) {}

  /// `false`.
  var isSlowToFinish: Bool { false }
}

/// The error of a transfer whose stored part doesn't fit the response, so that the body must be requested from its
/// beginning.
struct RestartTransfer: Error {}

/// The limits of one exchange.
package struct ExchangeLimits: Sendable {
  /// The deadline on `clock`; `nil` for no limit.
  var deadline: Duration?
  /// The time limit behind the deadline, for the error text.
  var duration: Duration?
  /// The longest time in which nothing happens; `nil` for no limit, or if the transport measures it.
  var idle: Duration?
  /// The minimum speed of a body; `nil` for no limit.
  var throughput: Request.Throughput?
  /// The load that bodies in memory are counted for; `nil` for none.
  var load: LoadContext?
  /// The clock of the deadline.
  var clock = LoadClock.system
  /// The maximum number of decoded bytes in an accepted response's body; `nil` for no limit.
  var maximumBodySize: Int? = defaultMaximumBodySize
  /// The maximum number of bytes in the headers.
  var maximumHeaderSize = defaultMaximumHeaderSize
  /// The accepted statuses. Of the body of any other response only the beginning is kept.
  var accepted = Request.AcceptedStatuses.successful
  /// Whether the whole body of a redirect is kept, because the redirect may be declined later.
  var keepsRedirects = false

  /// The default time limit of a load: a day.
  static let defaultTimeout = Duration.seconds(86_400)

  /// The default maximum size of a body in memory: 256 MiB.
  package static let defaultMaximumBodySize = 256 << 20

  /// The default maximum size of the headers: 256 KiB.
  static let defaultMaximumHeaderSize = 256 << 10

  /// The size of a body up to which it isn't counted towards the client's memory: 64 KiB.
  static let uncountedBodySize = 64 << 10
}

extension LoadError {
  /// The error for a load or an attempt that passed its time limit.
  init(tookLongerThan duration: Duration?) {
    let limit = duration.map { " of \($0)" } ?? ""
    self.init(
      .timedOut, "the load took longer than its limit\(limit)",
      advice: "Raise options.timeout if the server may take that long")
  }

  /// The error for an exchange that was idle for too long.
  init(idleFor duration: Duration) {
    self.init(
      .timedOut, "nothing arrived for \(duration)",
      advice: "Raise options.idleTimeout if the server may pause that long")
  }

  /// The error for a body that arrives too slowly.
  init(_ count: Int, below throughput: Request.Throughput) {
    self.init(
      .timedOut, "only \(count) bytes of the body arrived in \(throughput.duration)",
      advice: "Lower options.minimumThroughput if the server may be that slow")
  }

  /// The error for a body that exceeds the client's memory limit.
  init(bodiesOver limit: Int) {
    self.init(
      .tooLarge, "the bodies of all loads of the client would take more than \(limit) bytes",
      advice: "Load fewer at once, download into files, or raise maximumMemory of the client")
  }

  /// The error for headers that are too large.
  init(headersOver limit: Int) {
    self.init(
      .tooLarge, "the headers have more than \(limit) bytes",
      advice: "Raise options.maximumHeaderSize if that much is expected")
  }

  /// The error for a body that is too large.
  package init(over limit: Int) {
    self.init(
      .tooLarge, "the body has more than \(limit) bytes",
      advice: "Raise options.maximumBodySize if that much is expected")
  }
}
