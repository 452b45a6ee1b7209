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
