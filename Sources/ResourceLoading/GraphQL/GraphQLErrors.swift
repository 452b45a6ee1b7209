import Foundation

/// The errors of a GraphQL result, read apart from its data, which may not decode for their sake.
struct GraphQLErrors {
  let errors: [GraphQLError]
  let extensions: JSONValue?
  /// Whether this is a GraphQL result at all.
  let isResult: Bool

  /// - Throws: `DecodingError` if the body is no JSON object.
  init(_ body: Data) throws(DecodingError) {
    do throws(JSONMistake) {
      let result = try JSONReader.members(["errors", "extensions"], of: body)
      errors = result.members["errors"]?.elements.map(GraphQLError.init(reported:)) ?? []
      extensions = result.members["extensions"].flatMap { $0 == .null ? nil : $0 }
      isResult = result.names.contains("data") || !errors.isEmpty
    } catch {
      throw .dataCorrupted(error)
    }
  }

  static func find(in body: Data) -> [GraphQLError] { (try? GraphQLErrors(body))?.errors ?? [] }
}

extension JSONValue {
  /// The elements of a list, none of anything else.
  fileprivate var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }
}

extension GraphQLError {
  /// An error as a server reports it. One that isn't as specified stays one: without it, the operation would
  /// look like a success.
  fileprivate init(reported json: JSONValue) {
    message = json["message"]?.string ?? json.string ?? "an error without a message"
    locations = (json["locations"]?.elements ?? []).compactMap { place in
      guard let line = place["line"]?.integer, let column = place["column"]?.integer else {
        return nil
      }
      return Location(line: line, column: column)
    }
    path = (json["path"]?.elements ?? []).compactMap { segment in
      segment.integer.map { .index($0) } ?? segment.string.map { .field($0) }
    }
    extensions = json["extensions"].flatMap { $0 == .null ? nil : $0 }
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
