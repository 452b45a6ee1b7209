import Foundation
import ResourceJSON
public import ResourceLoading
import ResourcePrimitives

/// Decides whether a recorded request matches the one to answer.
///
/// A stand-in for a secret matches any text, so a request with a real token, or with another one,
/// is answered, too.
public struct RequestMatcher: Sendable {
  /// Returns a description of the difference; `nil` if there is none.
  let difference: @Sendable (HTTPArchive.Request, HTTPArchive.Request) -> String?
  /// The part of a request that it compares, by which entries can be looked up.
  let part: Part

  enum Part: Sendable {
    case method, url, target, headers, body
    /// Whatever the caller's closure compares.
    case any
  }

  /// Whether it compares bodies. If no matcher does, the bodies of requests aren't read.
  var needsBody: Bool { part == .body || part == .any }

  /// Creates a matcher from a closure.
  ///
  /// - Parameter difference: Returns a short description of what differs between a request and a
  ///   recorded one, for the error; `nil` if nothing does. It is called on any thread.
  public init(
    _ difference:
      @escaping @Sendable (_ request: HTTPArchive.Request, _ recorded: HTTPArchive.Request) ->
      String?
  ) {
    self.init(.any, difference)
  }

  private init(
    _ part: Part,
    _ difference: @escaping @Sendable (HTTPArchive.Request, HTTPArchive.Request) -> String?
  ) {
    (self.part, self.difference) = (part, difference)
  }

  func fits(_ request: ComparedRequest, _ recorded: ComparedRequest) -> Bool {
    switch part {
    case .method: request.request.method == recorded.request.method
    case .url:
      request.request.url == recorded.request.url
        || StandIn.fits(recorded.url.origin, request.url.origin)
          && recorded.url.fits(request.url)
    case .target: recorded.url.fits(request.url)
    case .headers, .body, .any: difference(request.request, recorded.request) == nil
    }
  }
}

extension RequestMatcher {
  /// The method.
  public static let method = RequestMatcher(.method) { request, recorded in
    request.method == recorded.method
      ? nil : "the method is \(request.method), recorded \(recorded.method)"
  }

  /// The whole URL: the origin, the path, and the query items, which may be in another order.
  public static let url = RequestMatcher(.url) { request, recorded in
    if request.url == recorded.url { return nil }
    let (one, other) = (ComparedURL(request.url), ComparedURL(recorded.url))
    guard StandIn.fits(other.origin, one.origin) else {
      return "the origin is \(one.origin), recorded \(other.origin)"
    }
    return one.difference(from: other)
  }

  /// The path and the query items, whatever the origin. Use it for a server whose port changes from
  /// run to run.
  public static let target = RequestMatcher(.target) { request, recorded in
    ComparedURL(request.url).difference(from: ComparedURL(recorded.url))
  }

  /// The values of some headers, or their absence in both requests.
  public static func headers(_ names: Headers.Name...) -> RequestMatcher {
    RequestMatcher(.headers) { request, recorded in
      for name in names {
        let (one, other) = (request.headers[name], recorded.headers[name])
        let fits = one.flatMap { one in other.map { StandIn.fits($0, one) } } ?? (one == other)
        guard fits else {
          return "the header \(name) is \(shown(one, name)), recorded \(shown(other, name))"
        }
      }
      return nil
    }
  }

  /// The bytes of the body. The boundary of a multipart body may differ.
  public static let body = RequestMatcher(.body) { request, recorded in
    difference(request, recorded) { one, other in StandIn.fits(other.comparable, one.comparable) }
  }

  /// The JSON in the body. The order of members and white space may differ.
  public static let json = RequestMatcher(.body) { request, recorded in
    difference(request, recorded) { one, other in
      guard let value = try? JSONValue(parsing: one.data),
        let recorded = try? JSONValue(parsing: other.data)
      else { return StandIn.fits(other.comparable, one.comparable) }
      return recorded.fits(value)
    }
  }

  private static func difference(
    _ request: HTTPArchive.Request, _ recorded: HTTPArchive.Request,
    _ fits: (HTTPArchive.Body, HTTPArchive.Body) -> Bool
  ) -> String? {
    let (one, other) = (request.body ?? .init(Data()), recorded.body ?? .init(Data()))
    guard other.isComplete else {
      return "only the first \(other.data.count) bytes of the recorded body are known"
    }
    return fits(one, other)
      ? nil : "the body differs (\(one.data.count) bytes, recorded \(other.data.count))"
  }

  private static func shown(_ value: String?, _ name: Headers.Name) -> String {
    guard let value else { return "missing" }
    let isSecret = Secrets.isSecret(name: name.rawValue)
    return "\"\((isSecret ? Secrets.replacement : SecretText.redact(value)).printable)\""
  }
}

extension HTTPArchive.Body {
  /// A text that is equal for equal bodies. Bytes that aren't UTF-8 are encoded in base64, because
  /// replacing them could make different bodies equal.
  fileprivate var comparable: String {
    guard let text = String(validating: data, as: UTF8.self) else {
      return data.base64EncodedString()
    }
    guard let boundary = MediaType(rawValue: mediaType ?? "").parameter("boundary") else {
      return text
    }
    return text.replacing("--\(boundary)", with: "--")
  }
}

extension JSONValue {
  /// Whether a value matches the recorded one, in which each stand-in matches any text or number.
  fileprivate func fits(_ value: JSONValue) -> Bool {
    switch (self, value) {
    case (.object(let recorded), .object(let members)):
      return recorded.count == members.count
        && recorded.allSatisfy { name, value in members[name].map { value.fits($0) } ?? false }
    case (.array(let recorded), .array(let elements)):
      return recorded.count == elements.count
        && zip(recorded, elements).allSatisfy { $0.fits($1) }
    case (.string(let recorded), .string(let text)): return StandIn.fits(recorded, text)
    case (.number(let recorded), .number):
      return self == value || StandIn.parts(between: recorded.description) == ["", ""]
    default: return self == value
    }
  }
}
