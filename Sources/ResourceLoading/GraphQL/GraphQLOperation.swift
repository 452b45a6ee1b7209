/// A GraphQL operation: the text of a query, mutation or subscription, and its variables.
///
/// ```swift
/// let operation = GraphQLOperation(
///   "query ($login: String!, $first: Int) { user(login: $login) { login } }",
///   variables: ["login": "octocat", "first": 3])
/// let user = Resource<User>.graphQL(operation, to: .post("graphql"), at: "user")
/// ```
public struct GraphQLOperation: Sendable, Hashable {
  /// The text of the document.
  public var query: String
  /// The name of the operation, for a document with several.
  public var operationName: String?
  /// The values of the variables; `nil` sends none.
  private var variables: JSONContent?

  /// Creates an operation with variables of any `Encodable` type.
  ///
  /// - Parameters:
  ///   - query: The text of the document.
  ///   - variables: The variables, a dictionary or a type with properties. They are encoded when
  ///     the request is prepared.
  ///   - operationName: The name of the operation, for a document with several.
  public init(
    _ query: String, variables: some Encodable & Sendable, operationName: String? = nil
  ) {
    self.query = query
    self.variables = JSONContent(value: variables, encoder: nil)
    self.operationName = operationName
  }

  /// Creates an operation with variables from a literal, whose values may have several types, or
  /// without variables.
  ///
  /// - Parameters:
  ///   - query: The text of the document.
  ///   - variables: The variables; `nil` sends none.
  ///   - operationName: The name of the operation, for a document with several.
  public init(_ query: String, variables: Parameters? = nil, operationName: String? = nil) {
    self.query = query
    self.variables = variables.map { JSONContent(value: $0, encoder: nil) }
    self.operationName = operationName
  }
}

extension GraphQLOperation: Encodable {
  private enum CodingKeys: CodingKey {
    case query
    case operationName
    case variables
  }

  /// Encodes the operation as the GraphQL-over-HTTP specification defines.
  ///
  /// - Throws: What the encoder throws for a variable.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(query, forKey: .query)
    try container.encodeIfPresent(operationName, forKey: .operationName)
    if let variables { try container.encode(variables.value, forKey: .variables) }
  }
}

extension GraphQLOperation: CustomReflectable {
  /// Shows the name of the operation; the document and the variables may hold secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["operationName": operationName as Any])
  }
}

extension Request.Body {
  /// Creates the body for a GraphQL operation, `application/json`.
  public static func graphQL(_ operation: GraphQLOperation) -> Self { .json(operation) }
}

/// The result of a GraphQL operation, which may be partial: some data, and errors for the rest.
///
/// To get either all the data or an error, load the value itself:
/// ``Resource/graphQL(_:to:at:decoder:)``.
public struct GraphQLResponse<Value: Sendable>: Sendable {
  /// The data; `nil` if the operation failed as a whole.
  public var data: Value?
  /// The errors; empty for a success.
  public var errors: [GraphQLError]
  /// Additional information from the server, if there is any.
  public var extensions: JSONValue?

  /// Creates a result, for tests.
  ///
  /// - Parameters:
  ///   - data: The data; `nil` if the operation failed as a whole.
  ///   - errors: The errors.
  ///   - extensions: Additional information from the server.
  public init(data: Value?, errors: [GraphQLError] = [], extensions: JSONValue? = nil) {
    self.data = data
    self.errors = errors
    self.extensions = extensions
  }
}

extension GraphQLResponse: Equatable where Value: Equatable {}
extension GraphQLResponse: Hashable where Value: Hashable {}
