public import Foundation

extension Resource where R == Data {
  /// The body as it came, with content codings removed; empty where there is none.
  public static func data(_ request: Request) -> Self {
    Resource(request, parsing: .none) { response in response.body }
  }

  /// The body of a URL as it came, with content codings removed; empty where there is none.
  public static func data(_ url: URL) -> Self { .data(Request(url: url)) }
}

extension Resource where R == String {
  /// The body as text in the charset that it has; empty where there is no body.
  ///
  /// The charset is told by a byte order mark, else by `Content-Type`, else it is UTF-8. A body that isn't
  /// text in that charset is an error of kind ``LoadError/Kind/parsing``.
  public static func text(_ request: Request) -> Self {
    Resource(request, parsing: .proportional) { response in try response.text() }
  }

  /// The body of a URL as text in the charset that it has; empty where there is no body.
  public static func text(_ url: URL) -> Self { .text(Request(url: url)) }
}

extension Resource where R == Void {
  /// Nothing: the load succeeds if the status is accepted, whatever the body.
  public static func void(_ request: Request) -> Self {
    Resource(request, parsing: .none) { _ in }
  }

  /// Nothing: the load of a URL succeeds if the status is accepted, whatever the body.
  public static func void(_ url: URL) -> Self { .void(Request(url: url)) }
}
