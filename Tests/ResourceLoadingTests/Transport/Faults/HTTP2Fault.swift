import ResourceLoading
import Testing

/// The frames that a server sends on an HTTP/2 connection, and the expected result.
struct HTTP2Fault: Sendable, CustomTestStringConvertible {
  enum End: Sendable {
    /// The server waits until the client leaves.
    case stays
    /// It closes the connection with the alert of TLS.
    case closes
    /// It closes the connection without an alert.
    case breaksOff
    case resets
  }

  var name: String
  /// Whether the head and the first part of the body come first: `part`.
  var isInBody: Bool
  var bytes: [UInt8]
  var end: End
  var outcome: Fault.Outcome

  var testDescription: String { name }

  private typealias Frame = HTTP2Frame
  private typealias Kind = HTTP2Frame.Kind
  private typealias Flag = HTTP2Frame.Flag

  private static func inBody(
    _ name: String, _ frames: HTTP2Frame..., end: End = .stays,
    gives outcome: Fault.Outcome = .failure(.connection)
  ) -> HTTP2Fault {
    HTTP2Fault(
      name: name, isInBody: true, bytes: frames.flatMap(\.bytes), end: end, outcome: outcome)
  }

  private static func inHead(
    _ name: String, _ frames: HTTP2Frame..., end: End = .stays,
    gives outcome: Fault.Outcome = .failure(.connection)
  ) -> HTTP2Fault {
    HTTP2Fault(
      name: name, isInBody: false, bytes: frames.flatMap(\.bytes), end: end, outcome: outcome)
  }
}

extension HTTP2Fault {
  static let all = connections + framing + compression + streams + ends + heads + tolerated

  /// Errors of the whole connection (RFC 9113 section 5.4.1), in the middle of a body without a
  /// length.
  private static let connections: [HTTP2Fault] = [
    inBody("data on no stream", Frame(kind: Kind.data, payload: [1])),
    inBody("data on a stream that isn't open", .data("evil", on: 99)),
    inBody("data on a stream of the server's", .data("evil", on: 2)),
    inBody("headers on no stream", .headers([(":status", "200")], on: 0)),
    inBody("headers on a stream that isn't open", .headers([(":status", "200")], on: 99)),
    inBody("headers on a stream of the server's", .headers([(":status", "200")], on: 2)),
    inBody("settings on a stream", Frame(kind: Kind.settings, stream: 1)),
    inBody("settings that push", .settings([(2, 2)])),
    inBody("settings with a window that is too large", .settings([(4, 0x8000_0000)])),
    inBody("settings with frames that are too small", .settings([(5, 1)])),
    inBody("settings with frames that are too large", .settings([(5, 0x0100_0000)])),
    inBody(
      "a ping on a stream", Frame(kind: Kind.ping, stream: 1, payload: Array("testtest".utf8))),
    inBody("a window that grows by nothing", .window(0)),
    inBody("a window that overflows", .window(0x7FFF_FFFF)),
    inBody("a reset of no stream", .reset(0, on: 0)),
    inBody("a reset of a stream that isn't open", .reset(0, on: 99)),
    inBody("a priority on no stream", Frame(kind: Kind.priority, payload: [0, 0, 0, 0, 0])),
    inBody(
      "a GOAWAY on a stream",
      Frame(kind: Kind.goAway, stream: 1, payload: [0, 0, 0, 1, 0, 0, 0, 0])),
    inBody(
      "a push", Frame(kind: Kind.push, flags: Flag.endHeaders, stream: 1, payload: [0, 0, 0, 2])),
    inBody(
      "a push on no stream", Frame(kind: Kind.push, flags: Flag.endHeaders, payload: [0, 0, 0, 2])),
    inBody(
      "a continuation of nothing", Frame(kind: Kind.continuation, flags: Flag.endHeaders, stream: 1)
    ),
    inBody(
      "data instead of a continuation",
      Frame(kind: Kind.headers, stream: 1, payload: Frame.block([("a", "b")])),
      .data("evil", ends: true)),
    inBody(
      "a ping instead of a continuation",
      Frame(kind: Kind.headers, stream: 1, payload: Frame.block([("a", "b")])), .ping),
    inBody(
      "a continuation of another stream",
      Frame(kind: Kind.headers, stream: 1, payload: Frame.block([("a", "b")])),
      Frame(kind: Kind.continuation, flags: Flag.endHeaders, stream: 3)),
  ]

  /// Frames of a wrong size.
  private static let framing: [HTTP2Fault] = [
    inBody(
      "an oversized frame",
      Frame(kind: Kind.data, stream: 1, payload: [UInt8](repeating: 120, count: 16_385))),
    inBody(
      "a frame that claims to be oversized",
      Frame(kind: Kind.data, stream: 1, claimedLength: 0xFF_FFFF)),
    inBody("an oversized ping", Frame(kind: Kind.ping, payload: [UInt8](repeating: 0, count: 9))),
    inBody("a short ping", Frame(kind: Kind.ping, payload: [UInt8](repeating: 0, count: 7))),
    inBody("settings of 5 bytes", Frame(kind: Kind.settings, payload: [0, 1, 0, 0, 0])),
    inBody(
      "an acknowledgement with settings",
      Frame(kind: Kind.settings, flags: Flag.acknowledged, payload: [0, 1, 0, 0, 0, 0])),
    inBody("a window of 3 bytes", Frame(kind: Kind.window, payload: [0, 0, 1])),
    inBody("a reset of 3 bytes", Frame(kind: Kind.reset, stream: 1, payload: [0, 0, 0])),
    inBody("a GOAWAY of 7 bytes", Frame(kind: Kind.goAway, payload: [0, 0, 0, 1, 0, 0, 0])),
    inBody(
      "more padding than data",
      Frame(kind: Kind.data, flags: Flag.padded, stream: 1, payload: [9, 1, 2])),
    inBody("padding without its length", Frame(kind: Kind.data, flags: Flag.padded, stream: 1)),
    inBody(
      "more padding than headers",
      Frame(kind: Kind.headers, flags: Flag.padded | Flag.endHeaders, stream: 1, payload: [9, 0])),
    inBody(
      "a response of HTTP/1",
      Frame(kind: 0x2F, flags: 0x31, stream: 0x2E31_2034, payload: [], claimedLength: 0x485454)),
  ]

  /// Header blocks that are invalid in HPACK (RFC 7541).
  private static let compression: [HTTP2Fault] = [
    ("the index 0", [0x80]), ("an index that doesn't exist", [0xFF, 0x80, 0x01]),
    ("an index without end", [0xFF] + [UInt8](repeating: 0xFF, count: 16)),
    ("a name longer than the block", [0x00, 0x7E, 0x61]),
    ("a value longer than the block", [0x00, 0x01, 0x61, 0x7E, 0x61]),
    ("a table that is too large", [0x3F, 0xE1, 0xFF, 0x03]),
    ("wrong padding of Huffman's code", [0x00, 0x01, 0x61, 0x81, 0x00]),
    ("the end of Huffman's code", [0x00, 0x01, 0x61, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
  ].map { name, block in
    inBody(
      "a header block with \(name)",
      Frame(kind: Kind.headers, flags: Flag.endHeaders | Flag.endStream, stream: 1, payload: block))
  }

  /// Errors of one stream (RFC 9113 section 5.4.2).
  private static let streams: [HTTP2Fault] =
    [
      inBody("a stream's window that grows by nothing", .window(0, on: 1)),
      inBody("a stream's window that overflows", .window(0x7FFF_FFFF, on: 1)),
      inBody(
        "a priority of 4 bytes", Frame(kind: Kind.priority, stream: 1, payload: [0, 0, 0, 0])),
      inBody("trailers that don't end the stream", .headers([("a", "b")])),
      inBody("trailers with a status", .headers([(":status", "200")], ends: true)),
      inBody("trailers in upper case", .headers([("A", "b")], ends: true)),
      inBody("trailers with a name of nothing", .headers([("", "b")], ends: true)),
      inBody("trailers for HTTP/1 alone", .headers([("connection", "close")], ends: true)),
    ] + (1...13).map { inBody("a reset with code \($0)", .reset($0)) }

  /// Ends of the connection in the middle of a body.
  private static let ends: [HTTP2Fault] = [
    inBody("closed", end: .closes), inBody("broken off", end: .breaksOff),
    inBody("reset", end: .resets),
    inBody("a GOAWAY, and closed", .goAway(1), end: .closes),
    inBody("a GOAWAY with an error, and closed", .goAway(1, 2, "why"), end: .closes),
    inBody("a GOAWAY, and broken off", .goAway(1), end: .breaksOff),
    inBody("a GOAWAY from which the stream is excluded", .goAway(0)),
    inBody("a GOAWAY with an error from which the stream is excluded", .goAway(0, 1)),
    inBody("closed in a frame's head", Frame(kind: Kind.ping, claimedLength: 8), end: .closes),
    inBody(
      "closed in a frame",
      Frame(kind: Kind.data, flags: Flag.endStream, stream: 1, payload: [1], claimedLength: 9),
      end: .closes),
  ]

  /// Invalid heads.
  private static let heads: [HTTP2Fault] = [
    inHead("a head without a status", .headers([("a", "b")], ends: true)),
    inHead(
      "a head with two statuses", .headers([(":status", "200"), (":status", "200")], ends: true)),
    inHead("a status in words", .headers([(":status", "abc")], ends: true)),
    inHead("a status of two digits", .headers([(":status", "20")], ends: true)),
    inHead("a status behind a header", .headers([("a", "b"), (":status", "200")], ends: true)),
    inHead(
      "a pseudo-header of requests", .headers([(":status", "200"), (":path", "/")], ends: true)),
    inHead("a header in upper case", .headers([(":status", "200"), ("A", "b")], ends: true)),
    inHead("a header without a name", .headers([(":status", "200"), ("", "b")], ends: true)),
    inHead(
      "a line end in a value", .headers([(":status", "200"), ("a", "b\r\nc: d")], ends: true)),
    inHead("a NUL in a value", .headers([(":status", "200"), ("a", "b\0")], ends: true)),
    inHead(
      "a header of HTTP/1",
      .headers([(":status", "200"), ("transfer-encoding", "chunked")], ends: true)),
    inHead(
      "a body that is shorter than its length",
      .headers([(":status", "200"), ("content-length", "9")]),
      .data("part", ends: true)),
    inHead(
      "a body that is longer than its length",
      .headers([(":status", "200"), ("content-length", "2")]),
      .data("part", ends: true)),
    inHead(
      "two lengths",
      .headers([(":status", "200"), ("content-length", "4"), ("content-length", "2")]),
      .data("part", ends: true)),
    inHead("an interim response that ends the stream", .headers([(":status", "103")], ends: true)),
    inHead("data before the head", .data("evil"), .headers([(":status", "200")], ends: true)),
    inHead("a reset instead of a head", .reset(2)),
    inHead("closed before the head", end: .closes),
    HTTP2Fault(
      name: "a head of 150 KB", isInBody: false,
      bytes: Frame.longHeaders(
        [(":status", "200")] + (0..<10).map { ("x-\($0)", String(repeating: "x", count: 15_000)) }),
      end: .stays, outcome: .failure(.tooLarge)),
    HTTP2Fault(
      name: "a head of 1 MB", isInBody: false,
      bytes: Frame.longHeaders(
        [(":status", "200")] + (0..<70).map { ("x-\($0)", String(repeating: "x", count: 15_000)) }),
      end: .stays, outcome: .failure(.tooLarge)),
  ]

  /// Sequences that aren't faults, or that the client may ignore.
  private static let tolerated: [HTTP2Fault] = [
    // libcurl 7.88 can't distinguish this from the end of the stream; see the article about
    // security.
    inBody("a reset without an error", .reset(0), gives: .whole(.ok, "part")),
    inBody("the end", .data("", ends: true), gives: .whole(.ok, "part")),
    inBody("the end with data", .data("y", ends: true), gives: .whole(.ok, "party")),
    inBody("trailers", .headers([("a", "b")], ends: true), gives: .whole(.ok, "part")),
    inBody(
      "data with padding",
      Frame(
        kind: Kind.data, flags: Flag.padded | Flag.endStream, stream: 1, payload: [3, 121, 0, 0, 0]),
      gives: .whole(.ok, "party")),
    inBody(
      "an unknown frame", Frame(kind: 0xBE, flags: 0xFF, stream: 1, payload: [1]),
      .data("", ends: true), gives: .whole(.ok, "part")),
    inBody(
      "unknown settings", .settings([(0xBEEF, 1)]), .data("", ends: true),
      gives: .whole(.ok, "part")),
    inBody("a ping", .ping, .data("", ends: true), gives: .whole(.ok, "part")),
    inBody(
      "windows that grow", .window(1), .window(1, on: 1), .data("", ends: true),
      gives: .whole(.ok, "part")
    ),
    inBody(
      "data of nothing", .data(""), .data(""), .data("", ends: true), gives: .whole(.ok, "part")),
    inBody(
      "a GOAWAY before the end", .goAway(1), .data("", ends: true), gives: .whole(.ok, "part")),
    inBody(
      "a GOAWAY before data and the end", .goAway(1), .data("y"), .data("", ends: true),
      gives: .whole(.ok, "party")),
    inBody(
      "a GOAWAY behind the end", .data("y", ends: true), .goAway(1), gives: .whole(.ok, "party")),
    inBody(
      "a GOAWAY twice, and the end", .goAway(0x7FFF_FFFF), .goAway(1), .data("y", ends: true),
      gives: .whole(.ok, "party")),
    inBody(
      "a GOAWAY, the end, and closed", .goAway(1), .data("", ends: true), end: .closes,
      gives: .whole(.ok, "part")),
    inBody("the end, and closed", .data("", ends: true), end: .closes, gives: .whole(.ok, "part")),
    inBody(
      "the end, and broken off", .data("", ends: true), end: .breaksOff, gives: .whole(.ok, "part")),
    inHead(
      "an interim response", .headers([(":status", "103")]), .headers([(":status", "200")]),
      .data("part", ends: true),
      gives: .whole(.ok, "part")),
    inHead(
      "a GOAWAY before the head", .goAway(1), .headers([(":status", "200")]), .data("part"),
      .data("", ends: true),
      gives: .whole(.ok, "part")),
    HTTP2Fault(
      name: "a head of 100 KB", isInBody: false,
      bytes: Frame.longHeaders(
        [(":status", "200")] + (0..<10).map { ("x-\($0)", String(repeating: "x", count: 10_000)) })
        + HTTP2Frame.data("part", ends: true).bytes, end: .stays, outcome: .whole(.ok, "part")),
  ]
}
