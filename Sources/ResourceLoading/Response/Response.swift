public import Foundation

/// A response: the status, the headers and the whole decoded body.
public struct Response: Sendable, Hashable {
  /// The absolute URL of the response; after redirects the last one. Never contains user info.
  public var url: URL

  /// The method of the request; after redirects it may differ from the original one.
  public var method: Request.Method

  /// The status code.
  public var status: Status

  /// The headers. Repeated fields may have been joined by `", "` by the transport (RFC 9110 section 5.3).
  public var headers: Headers

  /// The body in bytes, with every content coding removed; empty if there is none.
  public var body: Data

  /// The file with the body, for a download; `body` is empty then.
  public var file: URL?

  /// The bytes of the file that were there before, if a download was resumed; otherwise 0.
  var resumedAt = 0

  /// The context that the loader passes to parsers, if there is any.
  private var toolbox: Toolbox?

  /// Makes a response, for transports and tests.
  ///
  /// - Parameters:
  ///   - url: The absolute URL of the response.
  ///   - method: The method of the request.
  ///   - status: The status code.
  ///   - headers: The headers.
  ///   - body: The decoded body in bytes.
  public init(
    url: URL, method: Request.Method = .get, status: Status = .ok, headers: Headers = [:],
    body: Data = Data()
  ) {
    self.url = url
    self.method = method
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether this response has no body by definition, whatever its headers say: a response to `HEAD`, and 1xx, 204, 205
  /// and 304 (RFC 9110 sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5).
  public var isBodiless: Bool {
    method == .head || status.isInformational || [204, 205, 304].contains(status.rawValue)
  }
}

extension Response {
  /// The context that a loader passes to parsers; not a part of the response.
  struct Tools: Sendable {
    var decoder: JSONDecoder?
    /// The URL of the request before any redirect.
    var requested: URL?
    var source = Source.network
    var passage: Provenance?
    /// What a middleware adds to the reason of an error about this response.
    var remark: String?
  }

  /// Tools in a place of their own: every stage that a load waits in has room for a response, and they would be
  /// two thirds of it.
  private final class Toolbox: Sendable, Hashable {
    let tools: Tools

    init(_ tools: Tools) { self.tools = tools }

    /// Always equal, since responses are compared by what the server sent.
    static func == (one: Toolbox, other: Toolbox) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }

  /// What the loader hands on for parsing. To set it is to make a box: better all at once.
  var tools: Tools {
    get { toolbox?.tools ?? Tools() }
    set { toolbox = Toolbox(newValue) }
  }

  /// The decoder for JSON: that of the client that loaded the response, or a plain one.
  public var decoder: JSONDecoder { tools.decoder ?? .plain }
}

extension JSONDecoder {
  /// The shared default, which is never changed.
  fileprivate static let plain = JSONDecoder()
}

extension Response {
  /// The origin of a response. Cases may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Source: Sendable {
    /// From the server, just now.
    case network
    /// From a cache without asking the server: fresh, of this age (RFC 9111 section 4.2).
    case cache(age: Duration)
    /// From a cache, after the server confirmed with a 304 that it is valid.
    case revalidated
    /// From a cache, although stale: of this age, and used for this reason.
    case stale(age: Duration, because: StaleReason)
  }

  /// The reason why a stale response was used. Cases may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum StaleReason: Sendable {
    /// The request allows it: by `max-stale`, or by its ``Request/CachePolicy``.
    case allowed
    /// It is revalidated in the background (RFC 5861 section 3).
    case revalidating
    /// The server can't be reached, or failed (RFC 9111 section 4.2.4, RFC 5861 section 4).
    // Indirect, since every response has room for it and hardly one has it.
    indirect case failed(LoadError)
  }

  /// Where it came from. No part of the answer: responses are compared by what the server sent.
  ///
  /// A parser of one's own sees it, and so does whoever is told of events, see
  /// ``LoadEvent/Kind/fromCache(_:)``.
  public var source: Source {
    get { tools.source }
    set { tools.source = newValue }
  }
}

extension Response.Source: CustomStringConvertible {
  /// A short description without secrets.
  public var description: String {
    switch self {
    case .network: "from the server"
    case .cache(let age): "from the cache, \(age.brief) old"
    case .revalidated: "from the cache, still good"
    case .stale(let age, let reason): "from the cache, \(age.brief) old, \(reason)"
    }
  }
}

extension Response.StaleReason: CustomStringConvertible {
  /// A short description without secrets.
  public var description: String {
    switch self {
    case .allowed: "stale as the request allows"
    case .revalidating: "stale while revalidating"
    case .failed(let error): "stale because of an error: \(error.kind): \(error.reason)"
    }
  }
}

/// The head of a response: the status and the headers.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Status

  /// The headers. Those of a content coding that was removed may still be there.
  public var headers: Headers

  /// Makes a head, for transports.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The headers.
  public init(status: Status, headers: Headers = [:]) {
    self.status = status
    self.headers = headers
  }
}

extension ResponseHead {
  /// The bytes that are kept of the body of a response that isn't accepted: 1 MiB.
  package static let maximumErrorBodySize = 1 << 20
}

extension ResponseHead {
  /// The approximate bytes of the header fields in HTTP/1.1.
  var headerSize: Int {
    headers.reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 4 }
  }

  /// The bytes that the decoded body will have, if the head gives them: `nil` if the body is coded, or framed without a
  /// length.
  var bodySize: Int? {
    guard headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
      return nil
    }
    let lengths = Set(headers.values(of: .contentLength).map { $0.trimmingSpaces() })
    guard lengths.count == 1, let length = lengths.first.flatMap({ Int($0) }), length >= 0 else {
      return nil
    }
    return length
  }
}
