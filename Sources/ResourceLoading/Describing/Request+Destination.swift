public import Foundation

extension Request {
  /// Where the body of an accepted response goes.
  public enum Destination: Sendable, Hashable {
    /// Into memory: ``Response/body``.
    case memory
    /// Into a file: ``Response/file``. See ``Resource/download(_:to:resuming:)-(Request,_,_)``.
    case file(URL, resuming: Bool)
  }
}
