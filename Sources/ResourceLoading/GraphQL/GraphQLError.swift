import Foundation

/// What a GraphQL server says went wrong (GraphQL specification, section 7.1.2).
public struct GraphQLError: Sendable, Hashable {
  /// What went wrong, for people.
  public var message: String
  /// Where in the operation's text; empty where it isn't told.
  public var locations: [Location]
  /// Which field of the result; empty where it isn't told.
  public var path: [PathSegment]
  /// What else the server says, as a rule an object; `nil` where it says no more.
  public var extensions: JSONValue?

  /// A place in the text of an operation.
  public struct Location: Sendable, Hashable, Decodable {
    /// The 1-based line.
    public var line: Int
    /// The 1-based column.
    public var column: Int
  }

  /// One step of the way to a field.
  public enum PathSegment: Sendable, Hashable {
    /// A field by its name, or its alias.
    case field(String)
    /// An element of a list by its 0-based position.
    case index(Int)
  }
}

extension GraphQLError: Decodable {
  private enum CodingKeys: CodingKey {
    case message
    case locations
    case path
    case extensions
  }

  /// Decodes an error. Only its message is needed; whatever else isn't as specified is left out.
  ///
  /// - Throws: `DecodingError` if there is no message.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    message = try container.decode(String.self, forKey: .message)
    locations = (try? container.decode([Location].self, forKey: .locations)) ?? []
    path = (try? container.decode([PathSegment].self, forKey: .path)) ?? []
    extensions = try? container.decodeIfPresent(JSONValue.self, forKey: .extensions)
  }
}

extension GraphQLError.PathSegment: Decodable {
  /// Decodes a name or a position.
  ///
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let index = try? container.decode(Int.self) {
      self = .index(index)
    } else {
      self = .field(try container.decode(String.self))
    }
  }
}

extension GraphQLError: CustomStringConvertible {
  /// The message and the field: `Not found (user.repositories[2])`.
  public var description: String {
    let place = path.reduce("") { text, segment in
      switch segment {
      case .field(let name): text.isEmpty ? name : "\(text).\(name)"
      case .index(let index): "\(text)[\(index)]"
      }
    }
    return place.isEmpty ? message : "\(message) (\(place))"
  }
}

extension LoadError {
  /// What a GraphQL server says went wrong, whatever the status of its answer; empty if it said nothing of
  /// the kind. Secrets in it are replaced.
  public var graphQLErrors: [GraphQLError] {
    response.map { GraphQLErrors.find(in: $0.body) } ?? []
  }
}

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
