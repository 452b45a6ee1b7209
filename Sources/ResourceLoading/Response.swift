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
    var passage: Passage?
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
