public import PromiseModule

/// Loads resources. The one requirement is the `await` form; callbacks, promises and batches are derived
/// from it, once, for every loader.
///
/// `URLSession` is a loader, and a stub in a test is one.
public protocol Loader: Sendable {
  /// Where callbacks run that name no executor.
  var callbackExecutor: any PromiseExecutor { get }

  /// Loads a resource: sends its request, follows redirects, checks the status, parses the body.
  ///
  /// Completes exactly once. If the calling `Task` is cancelled, the load is given up at once, and the
  /// request, if it was sent, is cancelled; a load that is cancelled before it starts sends nothing.
  ///
  /// - Parameter resource: What to load and how to read it.
  /// - Returns: What the resource's parser made of the response.
  /// - Throws: A ``LoadError`` that says what went wrong, or `CancellationError` if the load was cancelled.
  func load<R>(_ resource: Resource<R>) async throws -> R
}

extension Loader {
  /// The background: callbacks that name no executor run on no queue of anybody's, and never on the main one.
  public var callbackExecutor: any PromiseExecutor { .default }
}
