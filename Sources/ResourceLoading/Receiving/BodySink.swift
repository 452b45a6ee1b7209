import Foundation

/// Where the bodies of one load go that are not kept in memory.
protocol BodyDestination: Sendable {
  /// Whether another attempt can still begin: not once somebody has been given a part of the body.
  var canBeginAgain: Bool { get }

  /// Whether somebody reads the body who may be slower than the server, which is held back then.
  var holdsBack: Bool { get }

  /// Gets ready for one exchange.
  ///
  /// - Parameter request: What is about to be sent; may be changed, to ask for a part only.
  /// - Returns: Where its body goes.
  /// - Throws: `LoadError` if there is no place for it.
  func open(for request: inout WireRequest.Draft) throws -> any BodySink
}

extension BodyDestination {
  /// Nobody is waited for.
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
  /// Does nothing: what takes everything at once holds nobody back.
  func attach(_ exchange: any Exchange) {}

  /// It isn't: there is no more to do.
  var isSlowToFinish: Bool { false }
}

/// What there was of a body doesn't fit what came: it is to be asked for from its beginning.
struct RestartTransfer: Error {}
