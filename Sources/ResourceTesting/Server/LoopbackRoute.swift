import Synchronization

/// A pattern of requests, and how a `LoopbackServer` responds to them.
///
/// The pattern is a method and a path, `"GET /users/1"`, or a path alone for all methods. The path
/// is compared with the percent-encoded path of the request; a `*` at the end matches anything. A
/// pattern with a `?` is compared with path and query. The first route that matches responds; if
/// none does, the response is 404.
public struct LoopbackRoute: Sendable {
  /// The time at which a route's handler is called.
  @nonexhaustive
  public enum Timing: Sendable, Hashable {
    /// When the whole request has been read. `Expect: 100-continue` is answered before that.
    case afterBody
    /// When the head has been read. `Script.readBody` reads the body; if the body isn't read, the
    /// server ends its side after the script, as real servers do.
    case beforeBody
  }

  let method: String?
  let path: String
  let timing: Timing
  let handler: @Sendable (ReceivedRequest) throws -> Script

  /// Creates a route whose response depends on the request.
  ///
  /// - Parameters:
  ///   - pattern: A method and a path, or a path that starts with `/` or is `*`.
  ///   - timing: When `handler` is called.
  ///   - handler: Called once for each request, on the connection's thread, and concurrently for
  ///     several connections. If it throws, the response is 500 with the error's text.
  public init(
    _ pattern: String, answers timing: Timing = .afterBody,
    _ handler: @escaping @Sendable (ReceivedRequest) throws -> Script
  ) {
    let words = pattern.split(separator: " ", omittingEmptySubsequences: false)
    let path = words.last.map(String.init) ?? ""
    precondition(
      words.count <= 2 && (path.hasPrefix("/") || path.hasPrefix("*")),
      "a route's pattern is like \"GET /path\" or \"/path\", not \"\(pattern)\"")
    method = words.count == 2 ? String(words[0]) : nil
    self.path = path
    self.timing = timing
    self.handler = handler
  }

  /// Creates a route that gives its responses in turn, and repeats the last one.
  ///
  /// ```swift
  /// LoopbackRoute("GET /flaky", .status(503), .status(503), .json("{}"))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: A method and a path, or a path that starts with `/` or is `*`.
  ///   - timing: When a response is sent.
  ///   - first: The response to the first request.
  ///   - further: The responses to the following requests.
  public init(
    _ pattern: String, answers timing: Timing = .afterBody, _ first: Script, _ further: Script...
  ) {
    let answers = [first] + further
    let turn = Turn()
    self.init(pattern, answers: timing) { _ in answers[min(turn.next(), answers.count - 1)] }
  }
}

extension LoopbackRoute {
  func fits(_ request: ReceivedRequest) -> Bool {
    guard method == nil || method == request.method else { return false }
    let wanted = path.contains("?") ? String(request.originTarget) : request.path
    return path.hasSuffix("*") ? wanted.hasPrefix(path.dropLast()) : wanted == path
  }

  static let notFound = LoopbackRoute("*") { request in
    .response(
      status: 404, headers: ["Content-Type": "text/plain"],
      body: "no route for \(request.method) \(request.target)\n")
  }

  private final class Turn: Sendable {
    private let count = Atomic(0)

    func next() -> Int {
      count.wrappingAdd(1, ordering: .relaxed).oldValue
    }
  }
}

/// Builds the routes in the closure of a `LoopbackServer`.
@resultBuilder
public enum LoopbackRouteBuilder {
  /// Adds one route.
  public static func buildExpression(_ route: LoopbackRoute) -> [LoopbackRoute] { [route] }

  /// Adds an array of routes.
  public static func buildExpression(_ routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

  /// Joins the routes in order.
  public static func buildBlock(_ routes: [LoopbackRoute]...) -> [LoopbackRoute] {
    routes.flatMap(\.self)
  }

  /// Adds the routes of an `if` without `else`.
  public static func buildOptional(_ routes: [LoopbackRoute]?) -> [LoopbackRoute] { routes ?? [] }

  /// Adds the routes of the first branch.
  public static func buildEither(first routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

  /// Adds the routes of the second branch.
  public static func buildEither(second routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

  /// Adds the routes of a loop.
  public static func buildArray(_ routes: [[LoopbackRoute]]) -> [LoopbackRoute] {
    routes.flatMap(\.self)
  }
}
