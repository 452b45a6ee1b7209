public import Foundation
public import ResourceLoading
import ResourcePrimitives

/// Requests and their responses in the format HAR 1.2, which browsers, proxies and most web tools
/// write (http://www.softwareishard.com/blog/har-12-spec/).
///
/// An archive holds what can be sent and played. Other members of a file, such as pages, aren't
/// kept. Cookies and query items are read from the headers and the URL, and written from there.
///
/// Reading is lenient, because programs write these files in many ways. Missing or meaningless
/// sizes, times and strings are unknown. An invalid status counts as no response. A body that is
/// missing from the file, or that can't be decoded, counts as not recorded. If an entry lacks its
/// request's method or URL, reading fails with an error that names the entry.
public struct HTTPArchive: Sendable, Hashable {
  /// The name of the program that wrote the file.
  public var creator: String

  /// The version of that program; empty if it isn't known.
  var creatorVersion = "1"

  /// The comment on the whole archive.
  public var comment: String?

  /// The exchanges, in the order of the file. Browsers order them by their beginnings, and
  /// recordings of this library by their ends.
  public var entries: [Entry]

  /// Creates an archive with this library as its creator.
  ///
  /// - Parameters:
  ///   - entries: The exchanges.
  ///   - comment: The comment on the whole archive.
  public init(_ entries: [Entry] = [], comment: String? = nil) {
    creator = Self.ownCreator
    self.entries = entries
    self.comment = comment
  }

  static let ownCreator = "swift-resource-loading"

  /// Whether headers and bodies are recorded as a receiver gets them. Other programs write the
  /// headers as they were before decoding.
  var isOwn: Bool { creator == Self.ownCreator }
}

extension HTTPArchive {
  /// A request and its response or failure. A redirect and the request that follows it are separate
  /// entries.
  public struct Entry: Sendable, Hashable {
    /// The date on which it began; `nil` if it isn't known.
    public var started: Date?
    /// The request.
    public var request: Request
    /// The response, with status 0 if there was none.
    public var response: Response
    /// The durations of its phases.
    public var timings = Timings()
    /// Why the response isn't complete; `nil` if it is.
    public var failure: Failure?
    /// The messages of a WebSocket, in their order; empty for other exchanges.
    public var messages: [Message] = []
    /// The comment on the entry.
    public var comment: String?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - response: The response, with status 0 if there was none.
    public init(request: Request, response: Response) {
      self.request = request
      self.response = response
    }
  }

  /// A request that was sent.
  public struct Request: Sendable, Hashable {
    /// The method.
    public var method: String
    /// The absolute URL.
    public var url: String
    /// The protocol, such as `HTTP/1.1`; empty if it isn't known.
    public var httpVersion = ""
    /// The headers, in order.
    public var headers: Headers
    /// The body; `nil` for none.
    public var body: Body?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The absolute URL.
    ///   - headers: The headers.
    ///   - body: The body; `nil` for none.
    public init(_ method: String, url: String, headers: Headers = [:], body: Body? = nil) {
      (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
  }

  /// A response that was received.
  public struct Response: Sendable, Hashable {
    /// The status; 0 if there was no response.
    public var status: Int
    /// The reason phrase; empty if there was none, as in HTTP/2.
    public var reason: String
    /// The protocol, such as `HTTP/1.1`; empty if it isn't known.
    public var httpVersion = ""
    /// The headers, in order.
    public var headers: Headers
    /// The body without content codings. `nil` if it isn't known; the response is then also written
    /// without a body.
    public var body: Body?
    /// What the file says about a body that it doesn't have.
    var missingBody: MissingBody?

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status; 0 if there was no response.
    ///   - reason: The reason phrase; `nil` for the registered one.
    ///   - headers: The headers.
    ///   - body: The body; `nil` if it isn't known.
    public init(
      status: Int, reason: String? = nil, headers: Headers = [:], body: Body? = Body(Data())
    ) {
      (self.status, self.headers, self.body) = (status, headers, body)
      self.reason = reason ?? Status(rawValue: status).reason ?? ""
    }
  }

  /// The body of a request or a response.
  public struct Body: Sendable, Hashable {
    /// The bytes, or only the first of them.
    public var data: Data
    /// The media type; `nil` if it isn't known.
    public var mediaType: String?
    /// The number of bytes that were sent, which exceeds the size of ``data`` if only the first
    /// bytes were kept.
    public var size: Int
    /// Whether ``data`` is the whole body.
    public var isComplete = true
    /// Whether the file has it as UTF-8 text although the response used another charset.
    var isTranscoded = false

    /// Creates a complete body.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - mediaType: The media type.
    public init(_ data: Data, mediaType: String? = nil) {
      (self.data, self.mediaType, size) = (data, mediaType, data.count)
    }
  }
}

extension HTTPArchive {
  /// What a file says about a body that it doesn't have.
  struct MissingBody: Sendable, Hashable {
    /// The number of bytes; `nil` if it isn't known.
    var size: Int?
    /// The media type; `nil` if it isn't known.
    var mediaType: String?
    /// Why the body is missing; `nil` if no reason is given. Comments of other programs aren't
    /// kept, because they may contain secrets.
    var reason: Reason?

    /// A reason, in the words of the body's comment.
    enum Reason: String, Sendable {
      case base64 = "Its text isn't valid base64."
      case hexadecimal = "Its text isn't valid hexadecimal."
      case noText = "Its text isn't a string."
      case otherFile = "It is in another file."
    }
  }

  /// The durations of an exchange's phases; `nil` for a phase that didn't happen, or whose duration
  /// isn't known.
  public struct Timings: Sendable, Hashable {
    /// Waiting for a connection.
    public var blocked: Duration?
    /// Resolving the host's name.
    public var dns: Duration?
    /// Connecting, including the TLS handshake.
    public var connect: Duration?
    /// The TLS handshake.
    public var ssl: Duration?
    /// Sending the request.
    public var send: Duration?
    /// Waiting for the first byte of the response.
    public var wait: Duration?
    /// Receiving the response.
    public var receive: Duration?

    /// Creates timings without any phase.
    public init() {}

    var untilHead: Duration {
      [blocked, dns, connect, send, wait].reduce(.zero) { $0 + min($1 ?? .zero, .century) }
    }

    var total: Duration { untilHead + min(receive ?? .zero, .century) }
  }

  /// Why a response isn't complete.
  public struct Failure: Sendable, Hashable {
    /// The kind of the load's error; ``cancelled`` for an exchange that its client gave up.
    public var kind: LoadError.Kind
    /// The reason, in a sentence without a full stop.
    public var reason: String
    /// Whether it is certain that the request wasn't sent.
    public var isUnsent = false

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - kind: The kind of the load's error.
    ///   - reason: The reason, in a sentence without a full stop.
    public init(_ kind: LoadError.Kind, _ reason: String) {
      (self.kind, self.reason) = (kind, reason)
    }

    /// The kind of an exchange that its client gave up, because it was cancelled, it timed out, or
    /// the client had read enough.
    public static let cancelled = LoadError.Kind(rawValue: "cancelled")
  }
}

// An archive of another program may contain secrets, so `print` and failed tests show none.

extension HTTPArchive: CustomStringConvertible, CustomReflectable {
  /// The entries, one on each line, without secrets.
  public var description: String { entries.map(\.description).joined(separator: "\n") }

  /// Shows the entries.
  public var customMirror: Mirror { Mirror(self, children: ["entries": entries]) }
}

extension HTTPArchive.Entry: CustomStringConvertible, CustomReflectable {
  /// The entry in one line, `GET https://example.org/ → 200 OK, 12 bytes`, without secrets.
  public var description: String { "\(request) → \(failure?.shown ?? "\(response)")" }

  /// Shows the description of the entry.
  public var customMirror: Mirror { Mirror(self, children: ["entry": description]) }
}

extension HTTPArchive.Request: CustomStringConvertible, CustomReflectable {
  /// The request in one line, without secrets.
  public var description: String { "\(method) \(SecretText.redact(url))".printable }

  /// Shows the description of the request, and its headers without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["request": description, "headers": headers])
  }
}

extension HTTPArchive.Response: CustomStringConvertible, CustomReflectable {
  /// The response in one line, without its body.
  public var description: String {
    let size = body.map { "\($0.size)" } ?? "unknown"
    return "\(status) \(SecretText.redact(reason)), \(size) bytes".printable
  }

  /// Shows the description of the response, and its headers without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["response": description, "headers": headers])
  }
}

extension HTTPArchive.Body: CustomReflectable {
  /// Shows only the media type and the size, because the bytes may contain secrets.
  public var customMirror: Mirror {
    let mediaType = mediaType.map { SecretText.redact($0).printable }
    return Mirror(self, children: ["mediaType": mediaType as Any, "size": size])
  }
}

extension HTTPArchive.Failure: CustomReflectable {
  /// Shows the failure without secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["kind": kind, "reason": shown, "isUnsent": isUnsent])
  }

  fileprivate var shown: String { SecretText.redact(reason).printable }
}
