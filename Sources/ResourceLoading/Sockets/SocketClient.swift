import Foundation
import PromiseModule
import ResourcePrimitives

/// Opens the connections of sockets.
protocol SocketClient: Sendable {
  var clock: LoadClock { get }
  /// The encoder of messages in JSON.
  var encoder: JSONEncoder { get }
  /// The decoder of messages in JSON.
  var decoder: JSONDecoder { get }
  /// The executor of callbacks that name none.
  var callbackExecutor: any PromiseExecutor { get }

  /// Opens a connection.
  func connect(
    _ request: Request, _ options: WebSocket.Options
  ) async throws -> WebSocket.Connection

  /// Waits before another attempt, until all loads are cancelled.
  func pause(for duration: Duration, before request: Request) async throws
}

extension WebSocket {
  /// Opens a connection.
  ///
  /// - Returns: The connection, once the handshake is complete.
  /// - Throws: The ``LoadError`` of a load that failed: of kind ``LoadError/Kind/status`` for any
  ///   response that doesn't switch protocols, ``LoadError/Kind/parsing`` for one that switches to
  ///   something else, ``LoadError/Kind/timedOut`` after ``Options/connectTimeout``, and
  ///   ``LoadError/Kind/invalidRequest`` if the transport has no sockets; `CancellationError` if
  ///   the task is cancelled.
  public func connect() async throws -> Connection { try await client.connect(request, options) }

  /// Opens a connection, and closes it when a closure has returned or thrown.
  ///
  /// - Parameter body: Uses the connection.
  /// - Returns: What the closure returns.
  /// - Throws: What ``connect()`` throws, and what the closure throws.
  @discardableResult
  public func withConnection<R>(_ body: (Connection) async throws -> R) async throws -> R {
    let connection = try await connect()
    do {
      let result = try await body(connection)
      await connection.close()
      return result
    } catch {
      await connection.close(.goingAway)
      throw error
    }
  }
}
