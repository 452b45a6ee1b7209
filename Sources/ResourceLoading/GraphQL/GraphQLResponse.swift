/// The result of a GraphQL operation, which may be partial: some data, and errors for the rest.
///
/// To have either all the data or an error, load the value itself:
/// ``Resource/graphQL(_:to:at:decoder:)``.
public struct GraphQLResponse<Value: Sendable>: Sendable {
  /// The data; `nil` if the operation failed as a whole.
  public var data: Value?
  /// What went wrong; empty if nothing did.
  public var errors: [GraphQLError]
  /// What else the server says; `nil` where it says no more.
  public var extensions: JSONValue?

  /// Makes a result, for tests.
  ///
  /// - Parameters:
  ///   - data: The data; `nil` if the operation failed as a whole.
  ///   - errors: What went wrong.
  ///   - extensions: What else the server says.
  public init(data: Value?, errors: [GraphQLError] = [], extensions: JSONValue? = nil) {
    self.data = data
    self.errors = errors
    self.extensions = extensions
  }
}

extension GraphQLResponse: Equatable where Value: Equatable {}
extension GraphQLResponse: Hashable where Value: Hashable {}
