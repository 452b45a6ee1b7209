import Foundation
import ResourceJSON
import ResourcePrimitives

/// An error that a GraphQL server reports (GraphQL specification section 7.1.2).
public struct GraphQLError: Sendable, Hashable {
  /// The message, for people.
  public var message: String
  /// The locations in the operation's text, if given.
  public var locations: [Location]
  /// The path to the field in the result, if given.
  public var path: [PathSegment]
  /// Additional information from the server, usually an object, if there is any.
  public var extensions: JSONValue?

  /// A location in the text of an operation.
  public struct Location: Sendable, Hashable {
    /// The 1-based line.
    public var line: Int
    /// The 1-based column.
    public var column: Int
  }

  /// One step of the path to a field.
  public enum PathSegment: Sendable, Hashable {
    /// A field by its name, or its alias.
    case field(String)
    /// An element of a list by its 0-based position.
    case index(Int)
  }
}

extension GraphQLError: Decodable {
  /// Decodes an error. It ignores members that differ from the specification, because with no error
  /// at all the operation would look like a success.
  ///
  /// - Throws: What the decoder throws.
  public init(from decoder: any Decoder) throws {
    self.init(reported: try JSONValue(from: decoder))
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
  /// The errors that a GraphQL server reports, whatever the status of its response. Secrets in them
  /// are replaced.
  public var graphQLErrors: [GraphQLError] {
    response.flatMap { try? GraphQLErrors($0.body) }?.errors ?? []
  }
}

/// The errors of a GraphQL result. They are decoded separately, because the data may not decode
/// when there are errors.
struct GraphQLErrors: Decodable {
  let errors: [GraphQLError]
  let extensions: JSONValue?
  /// Whether this is a GraphQL result.
  let isResult: Bool

  private enum CodingKeys: CodingKey { case data, errors, extensions }

  init(from decoder: any Decoder) throws {
    // The data is skipped.
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let reports = try members.decodeIfPresent(JSONValue.self, forKey: .errors)?.reports ?? []
    errors = reports.map(GraphQLError.init(reported:))
    extensions = try members.decodeIfPresent(JSONValue.self, forKey: .extensions)
    isResult = members.contains(.data) || !errors.isEmpty
  }

  init(_ body: Data) throws { self = try JSONReader().decode(Self.self, from: body) }
}

extension JSONValue {
  /// The errors in a list, or the single one that some servers send without a list.
  fileprivate var reports: [JSONValue] {
    switch self {
    case .string(let text): text.isEmpty ? [] : [self]
    case .object(let members): members.isEmpty ? [] : [self]
    default: elements
    }
  }

  /// The elements of a list; empty for any other value.
  fileprivate var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }
}

extension GraphQLError {
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
  /// Creates the error for an operation that failed in part or completely.
  init(_ errors: [GraphQLError]) {
    let count = errors.count == 1 ? "an error" : "\(errors.count) errors"
    self.init(
      .graphQL, "the GraphQL server reports \(count)",
      advice: "Load a GraphQLResponse to get the partial data")
    serverMessage = Self.message(of: errors)
  }

  static func message(of errors: [GraphQLError]) -> String? {
    let text = errors.prefix(5).map(\.description).joined(separator: "; ")
    return text.isEmpty ? nil : text.shortened(to: 500)
  }
}
