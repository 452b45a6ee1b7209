import Foundation

/// Where the bodies of one load go that are not kept in memory.
protocol BodyDestination: Sendable {
  /// Whether another attempt can still begin: not once a part of the body was handed to a reader.
  var canBeginAgain: Bool { get }

  /// Whether the body has a reader that may be slower than the server, which is held back then.
  var holdsBack: Bool { get }

  /// Gets ready for one exchange.
  ///
  /// - Parameter request: What is about to be sent; may be changed, to ask for a part only.
  /// - Returns: Where its body goes.
  /// - Throws: `LoadError` if there is no place for it.
  func open(for request: inout WireRequest.Draft) throws -> any BodySink
}

extension BodyDestination {
  /// `false`.
  var holdsBack: Bool { false }
}

/// Where the body of one exchange goes. Its methods are called one after another, but for ``abandon()``.
protocol BodySink: AnyObject, Sendable {
  /// How many bytes of the whole were there before.
  var offset: Int { get }

  /// The exchange that brings the body, so that it can be held back.
  func attach(_ exchange: any Exchange)

  /// A head arrived; whatever came before counts for nothing.
  ///
  /// - Returns: Whether the body is to be written here; else it is kept in memory.
  /// - Throws: `LoadError`, or `RestartTransfer` if the exchange has to be made anew.
  func begin(_ head: ResponseHead) throws -> Bool

  /// A piece of the body arrived.
  ///
  /// - Throws: `LoadError` if it can't be kept.
  func write(_ chunk: Data) throws

  /// The body is whole, as far as the transport knows.
  ///
  /// - Throws: `LoadError` if it isn't, or can't be kept.
  func finish() throws

  /// Whether finishing may take so long that the thread of an engine, which has other exchanges, can't wait for it.
  var isSlowToFinish: Bool { get }

  /// It failed, or isn't wanted any more: nothing is written after this returns. From any thread.
  func abandon()

  /// What to add to the response.
  func complete(_ response: inout Response)
}

extension BodySink {
  /// Does nothing: a sink that takes everything at once never holds the exchange back.
  func attach(_ exchange: any Exchange) {}

  /// `false`.
  var isSlowToFinish: Bool { false }
}

/// What there was of a body doesn't fit what came: it is to be asked for from its beginning.
struct RestartTransfer: Error {}

/// What one exchange may take.
package struct ExchangeLimits: Sendable {
  /// When it has to be over, on `clock`; `nil` for no limit.
  var deadline: Duration?
  /// How long that was to be, for the error text.
  var duration: Duration?
  /// How long nothing may happen; `nil` for no limit, or where the transport keeps it.
  var idle: Duration?
  /// How fast a body has to arrive at least; `nil` for no limit.
  var throughput: Request.Throughput?
  /// The load whose share of the memory for bodies is used; `nil` for none.
  var load: LoadContext?
  /// What counts the time.
  var clock = LoadClock.system
  /// How many decoded bytes the body may have that was asked for; `nil` for any number.
  var maximumBodySize: Int? = defaultMaximumBodySize
  /// How many bytes the headers may have.
  var maximumHeaderSize = defaultMaximumHeaderSize
  /// What was asked for. Of the body of any other response the beginning is enough.
  var accepted = Request.AcceptedStatuses.successful
  /// Whether the whole body of a redirect is kept, since it may turn out to be the answer.
  var keepsRedirects = false

  /// How long a load may send and receive unless its request says otherwise: a day.
  static let defaultTimeout = Duration.seconds(86_400)

  /// How many bytes a body in memory may have unless a request says otherwise: 256 MiB.
  package static let defaultMaximumBodySize = 256 << 20

  /// How many bytes the headers may have unless a request says otherwise: 256 KiB.
  static let defaultMaximumHeaderSize = 256 << 10

  /// How many bytes of each body in memory don't count towards that of the client: 64 KiB.
  static let uncountedBodySize = 64 << 10
}

extension LoadError {
  /// A load, or one attempt of it, that took longer than it may.
  init(tookLongerThan duration: Duration?) {
    let limit = duration.map { " of \($0)" } ?? ""
    self.init(
      .timedOut, "the load took longer than its limit\(limit)",
      advice: "Raise options.timeout if the server may take that long")
  }

  /// An exchange in which nothing happened any more.
  init(idleFor duration: Duration) {
    self.init(
      .timedOut, "nothing arrived for \(duration)",
      advice: "Raise options.idleTimeout if the server may pause that long")
  }

  /// A body that comes too slowly.
  init(_ count: Int, below throughput: Request.Throughput) {
    self.init(
      .timedOut, "only \(count) bytes of the body arrived in \(throughput.duration)",
      advice: "Lower options.minimumThroughput if the server may be that slow")
  }

  /// A body for which the client's memory isn't enough.
  init(bodiesOver limit: Int) {
    self.init(
      .tooLarge, "the bodies of all loads of the client would take more than \(limit) bytes",
      advice: "Load fewer at once, download into files, or raise maximumMemory of the client")
  }

  /// Headers with more bytes than they may have.
  init(headersOver limit: Int) {
    self.init(
      .tooLarge, "the headers have more than \(limit) bytes",
      advice: "Raise options.maximumHeaderSize if that much is expected")
  }

  /// A body with more bytes than it may have.
  package init(over limit: Int) {
    self.init(
      .tooLarge, "the body has more than \(limit) bytes",
      advice: "Raise options.maximumBodySize if that much is expected")
  }
}
