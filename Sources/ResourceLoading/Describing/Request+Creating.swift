public import Foundation

extension Request {
  /// A `GET` of an absolute URL.
  public static func get(_ url: URL) -> Request { Request(.get, url: url) }
  /// A `HEAD` of an absolute URL.
  public static func head(_ url: URL) -> Request { Request(.head, url: url) }
  /// A `POST` to an absolute URL.
  public static func post(_ url: URL) -> Request { Request(.post, url: url) }
  /// A `PUT` to an absolute URL.
  public static func put(_ url: URL) -> Request { Request(.put, url: url) }
  /// A `PATCH` of an absolute URL.
  public static func patch(_ url: URL) -> Request { Request(.patch, url: url) }
  /// A `DELETE` of an absolute URL.
  public static func delete(_ url: URL) -> Request { Request(.delete, url: url) }
  /// An `OPTIONS` of an absolute URL.
  public static func options(_ url: URL) -> Request { Request(.options, url: url) }
}

extension Request {
  /// A `GET` of a path below a client's base URL.
  public static func get(_ path: Path) -> Request { Request(.get, path) }
  /// A `HEAD` of a path below a client's base URL.
  public static func head(_ path: Path) -> Request { Request(.head, path) }
  /// A `POST` to a path below a client's base URL.
  public static func post(_ path: Path) -> Request { Request(.post, path) }
  /// A `PUT` to a path below a client's base URL.
  public static func put(_ path: Path) -> Request { Request(.put, path) }
  /// A `PATCH` of a path below a client's base URL.
  public static func patch(_ path: Path) -> Request { Request(.patch, path) }
  /// A `DELETE` of a path below a client's base URL.
  public static func delete(_ path: Path) -> Request { Request(.delete, path) }
  /// An `OPTIONS` of a path below a client's base URL.
  public static func options(_ path: Path) -> Request { Request(.options, path) }
}
