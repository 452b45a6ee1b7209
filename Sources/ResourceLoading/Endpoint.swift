/// Anything that stands for a resource: a case of a router, a request struct, or a ``Resource`` itself.
///
/// ```swift
/// enum GitHub: Endpoint {
///   case user(String)
///
///   var resource: Resource<User> {
///     switch self {
///     case .user(let login): Resource(json: .get("/users/\(login)"))
///     }
///   }
/// }
/// ```
public protocol Endpoint<R>: Sendable {
  /// What a load of this endpoint gives.
  associatedtype R: Sendable

  /// The request and the parser this endpoint stands for.
  var resource: Resource<R> { get }
}
