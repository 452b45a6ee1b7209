public import Foundation
import ResourceJSON
import ResourcePrimitives

/// Finds a server's message about a failure in the body of its response.
enum ServerMessage {
  /// Returns the message in a JSON body, or `nil` if there is none.
  ///
  /// The message is searched for in problem details (RFC 9457: `detail`, `title`), GraphQL's
  /// `errors`, and the members that APIs commonly use. At most 1 MiB is read, and at most 500
  /// scalars are returned.
  static func find(in response: Response) -> String? {
    guard response.body.count <= 1 << 20, looksLikeJSON(response),
      let body = try? JSONReader().decode(JSONValue.self, from: response.body),
      let text = text(of: body)
    else { return nil }
    // A little more than is shown, so that a secret at the cut is recognised.
    return SecretText.redact(text.prefix(scalars: 4096)).shortened(to: 500)
  }

  private static func looksLikeJSON(_ response: Response) -> Bool {
    let essence = response.mediaType?.essence ?? ""
    let first = response.body.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return essence.hasSuffix("json") || first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// A value that may hold a message: a text, a list, or an object with one of the known members,
  /// not nested deep.
  private static func text(of value: JSONValue, levels: Int = 8) -> String? {
    guard levels > 0 else { return nil }
    switch value {
    case .string(let text): return text.isEmpty ? nil : text
    case .array(let list):
      let texts = list.prefix(5).compactMap { text(of: $0, levels: levels - 1) }
      return texts.isEmpty ? nil : texts.joined(separator: "; ")
    case .object(let members):
      return names.lazy.compactMap { name in
        members[name].flatMap { text(of: $0, levels: levels - 1) }
      }.first
    default: return nil
    }
  }

  /// The names of the members that hold a message, the more specific ones first.
  private static let names = [
    "detail", "message", "error_description", "error_message", "title", "errors", "error", "reason",
    "msg",
  ]
}

/// Problem details: a server's description of a failure in the form of RFC 9457, see
/// ``LoadError/problem``.
public struct ProblemDetails: Sendable, Hashable {
  /// The type of the problem: a URI, absolute or relative to the response's. `about:blank` if the
  /// problem is described by the status.
  public var type = "about:blank"
  /// A summary of the type of problem, for people, if there is one.
  public var title: String?
  /// The status that the origin server gave, if it did.
  public var status: Status?
  /// A description of this occurrence, for people, if there is one.
  public var detail: String?
  /// The identifier of this occurrence: a URI, absolute or relative to the response's, if there is
  /// one.
  public var instance: String?
  /// All other members.
  public var extensions: [String: JSONValue] = [:]

  /// Parses problem details in JSON. Members of another type than specified are ignored (RFC 9457
  /// section 3.1).
  ///
  /// - Parameter json: A body of `application/problem+json`.
  /// - Returns: `nil` if it isn't a JSON object.
  public init?(_ json: Data) {
    guard case .object(var members)? = try? JSONReader().decode(JSONValue.self, from: json) else {
      return nil
    }
    let take = { (name: String) in members.removeValue(forKey: name) }
    type = take("type")?.string ?? type
    title = take("title")?.string
    status = take("status")?.integer.map(Status.init(rawValue:))
    detail = take("detail")?.string
    instance = take("instance")?.string
    extensions = members
  }
}

extension LoadError {
  /// The problem details in the server's response; `nil` if the response isn't
  /// `application/problem+json`. Secrets are replaced.
  public var problem: ProblemDetails? {
    guard let response, response.mediaType?.essence == "application/problem+json" else {
      return nil
    }
    return ProblemDetails(response.body)
  }
}

extension LoadError.ReceivedResponse {
  /// The media type of the body, if the server gave one.
  public var mediaType: MediaType? { headers.mediaType }
}
