public import Foundation

/// What a server answered: the status, the headers and the whole decoded body.
public struct Response: Sendable, Hashable {
  /// The absolute URL that answered; after redirects the last one. Never holds user info.
  public var url: URL

  /// The method that was answered; after redirects it may differ from the request's.
  public var method: Request.Method

  /// The status code.
  public var status: Status

  /// The headers. Repeated fields may have been joined by `", "` by the transport (RFC 9110 section 5.3).
  public var headers: Headers

  /// The body in bytes, with every content coding removed; empty where there is none.
  public var body: Data

  /// The file that the body went into, if the request wanted that; `body` is empty then.
  public var file: URL?

  /// How many bytes of the file were there before, if a download was resumed; 0 if not.
  var resumedAt = 0

  /// What the loader hands on for parsing, where it has anything.
  private var toolbox: Toolbox?

  /// Makes a response, as a transport or a test does.
  ///
  /// - Parameters:
  ///   - url: The absolute URL that answered.
  ///   - method: The method that was answered.
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

  /// Whether this response has no body by definition, whatever its headers say: an answer to `HEAD`, and
  /// 1xx, 204, 205 and 304 (RFC 9110 sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5).
  public var isBodiless: Bool {
    method == .head || status.isInformational || [204, 205, 304].contains(status.rawValue)
  }
}

extension Response {
  /// What a loader hands on to parsers; no part of the answer.
  struct Tools: Sendable {
    var decoder: JSONDecoder?
    /// The URL that was asked before any redirect.
    var requested: URL?
    var source = Source.network
    var passage: Provenance?
    /// What a stage has to say about this response if it becomes an error: how the sentence goes on.
    var remark: String?
  }

  /// Tools in a place of their own: every stage that a load waits in has room for a response, and they would be
  /// two thirds of it.
  private final class Toolbox: Sendable, Hashable {
    let tools: Tools

    init(_ tools: Tools) { self.tools = tools }

    /// Equal, whatever is in them: responses are compared by what the server sent.
    static func == (one: Toolbox, other: Toolbox) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
  }

  /// What the loader hands on for parsing. To set it is to make a box: better all at once.
  var tools: Tools {
    get { toolbox?.tools ?? Tools() }
    set { toolbox = Toolbox(newValue) }
  }

  /// What to decode JSON with: the decoder of the client that loaded this, or a plain one.
  public var decoder: JSONDecoder { tools.decoder ?? .plain }
}

extension JSONDecoder {
  /// One for all who don't want anything of it. It is never changed.
  fileprivate static let plain = JSONDecoder()
}

extension Response {
  /// Where a response came from. More may come: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Source: Sendable {
    /// From the server, just now.
    case network
    /// From a cache, without asking the server: it is this old, and fresh (RFC 9111 section 4.2).
    case cache(age: Duration)
    /// From a cache: the server said just now, by a 304, that it is still good.
    case revalidated
    /// From a cache, though it isn't fresh any more: it is this old, and was used for this reason.
    case stale(age: Duration, because: StaleReason)
  }

  /// Why a response was used that isn't fresh. More may come: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum StaleReason: Sendable {
    /// The request allows it: by `max-stale`, or by its ``Request/CachePolicy``.
    case allowed
    /// The server is being asked for next time (RFC 5861 section 3).
    case revalidating
    /// The server can't be reached, or can't answer (RFC 9111 section 4.2.4, RFC 5861 section 4).
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
  /// In a few words, without secrets.
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
  /// In a few words, without secrets.
  public var description: String {
    switch self {
    case .allowed: "stale as the request allows"
    case .revalidating: "stale while revalidating"
    case .failed(let error): "stale because of an error: \(error.kind): \(error.reason)"
    }
  }
}

/// What comes before a body: the status and the headers.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Status

  /// The headers. Those of the content coding that was removed may be left in.
  public var headers: Headers

  /// Makes a head, as a transport does.
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
  /// How many bytes are kept of the body of a response that isn't accepted: 1 MiB.
  package static let maximumErrorBodySize = 1 << 20
}

extension ResponseHead {
  /// How many bytes the header fields have in HTTP/1.1, or nearly so.
  var headerSize: Int {
    headers.reduce(0) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 4 }
  }

  /// How many bytes the decoded body will have, as far as the head tells: `nil` if it is coded, or framed
  /// without a length.
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
