import Synchronization

/// Which requests a `LoopbackServer` answers, and how.
///
/// The pattern is a method and a path, `"GET /users/1"`, or a path alone for every method. The path is
/// compared with the request's, as it was sent and still percent-encoded; a `*` at the end stands for
/// any rest. A pattern with a `?` is compared with path and query. Of several routes that fit, the
/// first one answers; if none fits, the answer is 404.
public struct LoopbackRoute: Sendable {
  /// When a route is asked for its answer.
  @nonexhaustive
  public enum Moment: Sendable, Hashable {
    /// When the whole request has been read; `Expect: 100-continue` is answered without asking.
    case afterBody
    /// When the head has been read and nothing of the body, which `Script.readBody` reads if it
    /// shall be read. If it isn't, the server ends its side after the script, as real servers do.
    case beforeBody
  }

  let method: String?
  let path: String
  let moment: Moment
  let handler: @Sendable (ReceivedRequest) throws -> Script

  /// A route whose answer is made from the request.
  ///
  /// - Parameters:
  ///   - pattern: a method and a path, or a path that starts with `/` or is `*`.
  ///   - moment: when `handler` is called.
  ///   - handler: called once for each request, on the connection's thread, several at a time if
  ///     there are several connections. If it throws, the answer is 500 with the error's text.
  public init(
    _ pattern: String, answers moment: Moment = .afterBody,
    _ handler: @escaping @Sendable (ReceivedRequest) throws -> Script
  ) {
    let words = pattern.split(separator: " ", omittingEmptySubsequences: false)
    let path = words.last.map(String.init) ?? ""
    precondition(
      words.count <= 2 && (path.hasPrefix("/") || path.hasPrefix("*")),
      "a route's pattern reads like \"GET /path\" or \"/path\", not \"\(pattern)\"")
    method = words.count == 2 ? String(words[0]) : nil
    self.path = path
    self.moment = moment
    self.handler = handler
  }

  /// A route that gives its answers in turn; the last one answers all further requests.
  ///
  /// ```swift
  /// LoopbackRoute("GET /flaky", .status(503), .status(503), .json("{}"))
  /// ```
  ///
  /// - Parameters:
  ///   - pattern: a method and a path, or a path that starts with `/` or is `*`.
  ///   - moment: when an answer begins.
  ///   - first: the answer to the first request.
  ///   - further: the answers to the following ones.
  public init(
    _ pattern: String, answers moment: Moment = .afterBody, _ first: Script, _ further: Script...
  ) {
    let answers = [first] + further
    let turn = Turn()
    self.init(pattern, answers: moment) { _ in answers[min(turn.next(), answers.count - 1)] }
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

/// Collects the routes in the braces after `LoopbackServer`.
@resultBuilder
public enum RouteBuilder {
  /// Takes one route.
  public static func buildExpression(_ route: LoopbackRoute) -> [LoopbackRoute] { [route] }

  /// Takes routes that were made elsewhere.
  public static func buildExpression(_ routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

  /// Puts the routes in the order in which they stand.
  public static func buildBlock(_ routes: [LoopbackRoute]...) -> [LoopbackRoute] {
    routes.flatMap(\.self)
  }

  /// Takes the routes of an `if` without `else`.
  public static func buildOptional(_ routes: [LoopbackRoute]?) -> [LoopbackRoute] { routes ?? [] }

  /// Takes the routes of the first branch.
  public static func buildEither(first routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

  /// Takes the routes of the second branch.
  public static func buildEither(second routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

  /// Takes the routes of a loop.
  public static func buildArray(_ routes: [[LoopbackRoute]]) -> [LoopbackRoute] {
    routes.flatMap(\.self)
  }
}
