import Foundation

/// The destination of a load's body other than memory.
protocol BodyDestination: Sendable {
  /// Whether another attempt can still begin. It can't when a reader has received a part of the
  /// body.
  var canBeginAgain: Bool { get }

  /// Whether a reader that is slower than the server slows down the transfer.
  var holdsBack: Bool { get }

  /// Whether the requests switch protocols.
  var switchesProtocols: Bool { get }

  /// Prepares for one exchange, and returns the sink of the response's body. The request may be
  /// changed to ask for only a part.
  func open(for request: inout WireRequest.Draft, in context: LoadContext) throws -> any BodySink

  /// Ends what continues after the load, because its client ends the load.
  func end(for reason: any Error)
}

extension BodyDestination {
  var holdsBack: Bool { false }

  var switchesProtocols: Bool { false }

  func end(for reason: any Error) {}
}

/// Receives the body of one exchange. Its methods are called one after another, except for
/// ``abandon()``.
protocol BodySink: AnyObject, Sendable {
  /// The number of bytes that were there before the exchange.
  var offset: Int { get }

  /// Sets the exchange that delivers the body, so that the sink can pause it.
  func attach(_ exchange: any Exchange)

  /// Handles a response head, which replaces everything before. Returns what the sink wants of the
  /// response.
  func begin(_ head: ResponseHead) throws -> SinkDemand

  func write(_ chunk: Data) throws

  /// Handles the trailers of the body, which is complete. Not called without trailers.
  func receive(trailers: Headers) throws

  /// Completes the body. The response has ended.
  ///
  /// - Parameter isWanted: Called before the result can be seen. If it returns `false`, the exchange
  ///   has failed meanwhile, and nothing may be seen. After `true` it can't fail for any reason but
  ///   an error of this method.
  func finish(_ isWanted: () -> Bool) throws

  /// Whether finishing may block for too long to run on the thread of an engine.
  var isSlowToFinish: Bool { get }

  /// Ends a transfer that failed or is no longer needed. After it returns, nothing is written. Can
  /// be called from any thread.
  func abandon()

  /// Adds the properties of the body to the response.
  func complete(_ response: inout Response)

  /// Handles the end of a connection that it has asked for. `failure` is `nil` if the server has
  /// ended it.
  func connectionEnded(_ failure: LoadError?)
}

extension BodySink {
  func attach(_ exchange: any Exchange) {}

  func receive(trailers: Headers) throws {}

  var isSlowToFinish: Bool { false }

  func connectionEnded(_ failure: LoadError?) {}
}

/// What a sink wants of a response.
enum SinkDemand: Sendable {
  /// Nothing. The body is kept in memory.
  case nothing
  /// The body and its end.
  case body
  /// Only the end, because the sink has the body already. What the response brings is something
  /// else.
  case end
  /// The connection, which continues after the response. Its bytes are written until it ends.
  case connection
}

/// The error of a transfer whose stored part doesn't match the response. The whole body has to be
/// requested again.
struct RestartTransfer: Error {}
