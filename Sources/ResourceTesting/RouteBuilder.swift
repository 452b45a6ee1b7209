/// Collects the routes in the braces after `LoopbackServer`.
@resultBuilder
public enum RouteBuilder {
  /// Takes one route.
  public static func buildExpression(_ route: Route) -> [Route] { [route] }

  /// Takes routes that were made elsewhere.
  public static func buildExpression(_ routes: [Route]) -> [Route] { routes }

  /// Puts the routes in the order in which they stand.
  public static func buildBlock(_ routes: [Route]...) -> [Route] { routes.flatMap(\.self) }

  /// Takes the routes of an `if` without `else`.
  public static func buildOptional(_ routes: [Route]?) -> [Route] { routes ?? [] }

  /// Takes the routes of the first branch.
  public static func buildEither(first routes: [Route]) -> [Route] { routes }

  /// Takes the routes of the second branch.
  public static func buildEither(second routes: [Route]) -> [Route] { routes }

  /// Takes the routes of a loop.
  public static func buildArray(_ routes: [[Route]]) -> [Route] { routes.flatMap(\.self) }
}
