public import Foundation

/// What a server says about a failure in the form of RFC 9457.
///
/// ``LoadError/problem`` has it where a server sent it.
public struct ProblemDetails: Sendable, Hashable {
  /// The kind of problem: a URI, absolute or relative to the response's. `about:blank` if the status says it
  /// all.
  public var type = "about:blank"
  /// What kind of problem it is, for people; `nil` where it isn't told.
  public var title: String?
  /// The status that the origin server gave; `nil` where it isn't told.
  public var status: Status?
  /// What happened this time, for people; `nil` where it isn't told.
  public var detail: String?
  /// Which occurrence this is: a URI, absolute or relative to the response's; `nil` where it isn't told.
  public var instance: String?
  /// All other members.
  public var extensions: [String: JSONValue] = [:]

  /// Reads problem details in JSON. Members of another type than RFC 9457 gives them are left out, as its
  /// section 3.1 wants it.
  ///
  /// - Parameter json: A body of `application/problem+json`.
  /// - Returns: `nil` if it is no JSON object.
  public init?(_ json: Data) {
    guard case .object(var members)? = try? JSONReader.value(json) else { return nil }
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
  /// What the server says about the failure in the form of RFC 9457; `nil` if its answer isn't
  /// `application/problem+json`. Secrets in it are replaced.
  public var problem: ProblemDetails? {
    guard let response, response.mediaType?.essence == "application/problem+json" else {
      return nil
    }
    return ProblemDetails(response.body)
  }
}

extension LoadError.ReceivedResponse {
  /// The media type of the body as the server gave it, or `nil` where it gave none.
  public var mediaType: MediaType? { headers[.contentType].map(MediaType.init(rawValue:)) }
}
