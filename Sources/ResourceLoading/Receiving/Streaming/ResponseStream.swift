public import Foundation
import PromiseModule

/// The body of a response while it comes, for one reader.
///
/// At most some hundred kilobytes wait for a reader that is slower than the server; then the server is held
/// back, where the transport can do that. `URLSession` can't: a reader that is 64 MiB behind gets an error.
///
/// When the last copy of it and of its iterators has gone, or the reading task is cancelled, the load is
/// cancelled.
public struct ResponseStream: AsyncSequence, Sendable {
  /// The URL that answered.
  public let url: URL
  /// The status, one of those that the request accepts.
  public let status: Status
  /// The headers.
  public let headers: Headers

  private let owner: Owner

  init(_ head: StreamHead, _ owner: Owner) {
    url = head.url
    status = head.head.status
    headers = head.head.headers
    self.owner = owner
  }

  /// Begins to read, or goes on: all iterators read from the same body.
  public func makeAsyncIterator() -> Iterator { Iterator(owner: owner) }

  /// Reads pieces as they come.
  public struct Iterator: AsyncIteratorProtocol {
    private let owner: Owner

    init(owner: Owner) { self.owner = owner }

    /// The next piece of the decoded body, never empty.
    ///
    /// - Returns: `nil` at the end of the body.
    /// - Throws: The ``LoadError`` of a load that failed, or `CancellationError` if the task is cancelled.
    public mutating func next() async throws -> Data? {
      try await owner.next()
    }
  }

  /// Cancels the load when nobody reads any more.
  final class Owner: Sendable {
    private let channel: StreamChannel
    private let load: Promise<Void>

    init(_ channel: StreamChannel, _ load: Promise<Void>) {
      self.channel = channel
      self.load = load
    }

    deinit { load.cancel() }

    func head() async throws -> StreamHead {
      do { return try await channel.head() } catch { throw given(up: error) }
    }

    func next() async throws -> Data? {
      do { return try await channel.next() } catch { throw given(up: error) }
    }

    private func given(up error: any Error) -> any Error {
      if error is CancellationError { load.cancel() }
      return error
    }
  }
}
