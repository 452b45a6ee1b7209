import Foundation

/// The destination of a load's body other than memory.
protocol BodyDestination: Sendable {
  /// Whether another attempt can still begin: not once a part of the body was handed to a reader.
  var canBeginAgain: Bool { get }

  /// Whether the body has a reader that may be slower than the server, which is held back then.
  var holdsBack: Bool { get }

  /// Prepares for one exchange.
  ///
  /// - Parameters:
  ///   - request: The request that is about to be sent. It may be changed to request only a part.
  ///   - context: That of the load.
  /// - Returns: The sink of the response's body.
  func open(for request: inout WireRequest.Draft, in context: LoadContext) throws -> any BodySink
}

extension BodyDestination {
  /// `false`.
  var holdsBack: Bool { false }
}

/// Receives the body of one exchange. Its methods are called one after another, except for
/// ``abandon()``.
protocol BodySink: AnyObject, Sendable {
  /// The number of bytes of the whole that were there before.
  var offset: Int { get }

  /// Sets the exchange that delivers the body, so that the sink can pause it.
  func attach(_ exchange: any Exchange)

  /// Handles a response head, which replaces everything before.
  ///
  /// - Returns: Whether the body is to be written here; else it is kept in memory.
  func begin(_ head: ResponseHead) throws -> Bool

  /// Writes a piece of the body.
  func write(_ chunk: Data) throws

  /// Completes the body, which is whole as far as the transport knows.
  func finish() throws

  /// Whether finishing may block for so long that it must not run on the thread of an engine.
  var isSlowToFinish: Bool { get }

  /// Ends a transfer that failed or isn't needed any more. After it returns, nothing is written.
  /// Can be called from any thread.
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

/// The error of a transfer whose stored part doesn't fit the response, so that the body must be
/// requested from its beginning.
struct RestartTransfer: Error {}
