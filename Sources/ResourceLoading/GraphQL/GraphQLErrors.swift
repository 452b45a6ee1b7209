import Foundation

/// The errors of a GraphQL result, read apart from its data, which may not decode for their sake.
struct GraphQLErrors: Decodable {
  private enum CodingKeys: CodingKey {
    case data
    case errors
    case extensions
  }

  let errors: [GraphQLError]
  let extensions: JSONValue?
  /// Whether this is a GraphQL result at all.
  let isResult: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    errors = (try? container.decodeIfPresent([GraphQLError].self, forKey: .errors)) ?? []
    extensions = try? container.decodeIfPresent(JSONValue.self, forKey: .extensions)
    isResult = container.contains(.data) || !errors.isEmpty
  }

  static func find(in body: Data) -> [GraphQLError] {
    (try? JSONDecoder().decode(GraphQLErrors.self, from: body))?.errors ?? []
  }
}

extension LoadError {
  /// The error for an operation that failed, in part or as a whole.
  init(_ errors: [GraphQLError]) {
    let count = errors.count == 1 ? "an error" : "\(errors.count) errors"
    self.init(
      .graphQL, "the GraphQL server reports \(count)",
      advice: "Load a GraphQLResponse to have what data there is")
    serverMessage = Self.message(of: errors)
  }

  static func message(of errors: [GraphQLError]) -> String? {
    let text = errors.prefix(5).map(\.description).joined(separator: "; ")
    return text.isEmpty ? nil : text.count > 500 ? text.prefix(500) + "…" : text
  }
}
