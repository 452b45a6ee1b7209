import Foundation
import ResourceLoading
import ResourceTesting
import Testing

/// What a server does, and the expected result.
struct Fault: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// A response with this status and body.
    case whole(Status, String)
    case failure(LoadError.Kind)
  }

  /// The different result of URLSession on Linux.
  enum Exception: Sendable {
    /// It crashes the process.
    case crash
    /// Another result, or a result after seconds.
    case differs
  }

  var name: String
  var script: Script
  var outcome: Outcome
  var exception: Exception?

  init(
    _ name: String, _ script: Script, _ outcome: Outcome = .failure(.connection),
    urlSession exception: Exception? = nil
  ) {
    self.name = name
    self.script = script
    self.outcome = outcome
    self.exception = exception
  }

  var testDescription: String { name }
}

extension Fault {
  /// Writes a head with these lines and an empty one, and then the rest.
  private static func head(_ lines: String..., then rest: Script = []) -> Script {
    [.bytes(lines.map { "\($0)\r\n" }.joined() + "\r\n"), rest]
  }

  private static func coded(_ coding: String, _ body: [UInt8]) -> Script {
    [.response(headers: ["Content-Encoding": coding], body: body), .close]
  }

  /// "hello" by `gzip -n`.
  static let gzip: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0, 0, 0,
  ]
  /// "hello" in brotli, uncompressed.
  static let brotli: [UInt8] = [0x0B, 0x02, 0x80] + Array("hello".utf8) + [0x03]
  /// "hello" in a frame of zstd, uncompressed.
  static let zstandard: [UInt8] =
    [0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 0x29, 0, 0] + Array("hello".utf8)
  /// 64 KiB of zeros, which can follow the first ten bytes of any gzip any number of times.
  static let bomb =
    [0xEC, 0xC1, 0x01, 0x01, 0, 0, 0, 0x80, 0x90, 0xFE, 0xAF, 0xEE, 0x08, 0x0A]
    + [UInt8](repeating: 0, count: 63) + [0x6A, 0, 0, 0, 0xFF, 0xFF]
  /// "hello" with an envelope of zlib.
  static let deflate: [UInt8] = [120, 156, 203, 72, 205, 201, 201, 7, 0, 6, 44, 2, 21]

  /// The connection fails.
  static let connections: [Fault] = [
    Fault("closed at once", .close),
    Fault("reset at once", .reset),
    Fault("closed in the status line", [.bytes("HTTP/1.1 20"), .close], urlSession: .differs),
    Fault(
      "closed in the headers", [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), .close],
      urlSession: .differs),
    Fault(
      "closed in a header", [.bytes("HTTP/1.1 200 OK\r\nContent-Len"), .close], urlSession: .crash),
    Fault(
      "closed in the body",
      head("HTTP/1.1 200 OK", "Content-Length: 5", then: [.bytes("he"), .close])),
    Fault(
      "reset in the body",
      head("HTTP/1.1 200 OK", "Content-Length: 5", then: [.bytes("he"), .reset])),
    Fault(
      "closed after 103", head("HTTP/1.1 103 Early Hints", "Link: </a>", then: .close),
      urlSession: .differs),
    Fault("no HTTP", [.bytes("SSH-2.0-OpenSSH_9.6\r\n"), .close]),
    Fault("a page without a head", [.bytes("<html>hello</html>"), .close]),
    Fault("only line ends", [.bytes("\r\n\r\n\r\n"), .close], urlSession: .differs),
    Fault("a version to come", head("HTTP/4.2 200 OK", then: .close), urlSession: .differs),
    Fault("a status in words", head("HTTP/1.1 OK", then: .close), urlSession: .differs),
    Fault("zeros", [.bytes([UInt8](repeating: 0, count: 4096)), .close]),
  ]

  /// The head is unusual.
  static let heads: [Fault] = [
    Fault(
      "interim responses before the answer",
      [.informational(100), .informational(103), .informational(102), .response(body: "hello")],
      .whole(.ok, "hello")),
    Fault(
      "line ends without CR", .bytes("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello"),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "no reason", head("HTTP/1.1 200", "Content-Length: 5", then: .bytes("hello")),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "no space behind a colon", head("HTTP/1.1 200 OK", "Content-Length:5", then: .bytes("hello")),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "a status that nobody knows",
      head("HTTP/1.1 799 Odd", "Content-Length: 5", then: .bytes("hello")), .whole(799, "hello"),
      urlSession: .differs),
    Fault(
      "no headers at all", [.bytes("HTTP/1.0 200 OK\r\n\r\nhello"), .close], .whole(.ok, "hello")),
    Fault(
      "a line without a colon",
      head("HTTP/1.1 200 OK", "what is this", "Content-Length: 5", then: .bytes("hello")),
      urlSession: .differs),
    Fault(
      "a carriage return in a value",
      head(
        "HTTP/1.1 200 OK", "X-A: b\rSet-Cookie: c=d", "Content-Length: 5", then: .bytes("hello")),
      urlSession: .differs),
    Fault(
      "a carriage return too many",
      head("HTTP/1.1 200 OK", "X-A: b\r", "Content-Length: 5", then: .bytes("hello")),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "a field that looks like a status line",
      head("HTTP/1.1 200 OK", "Content-Length: 5", "HTTP/1.1 204 x: y", then: .bytes("hello")),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "a folded line before the first header",
      head("HTTP/1.1 200 OK", " folded", "Content-Length: 5", then: .bytes("hello")),
      urlSession: .differs),
    Fault(
      "2,000 headers",
      [
        .bytes("HTTP/1.1 200 OK\r\n"), .repeating("X: y\r\n", count: 2_000),
        .bytes("Content-Length: 0\r\n\r\n"),
      ], .failure(.tooLarge), urlSession: .differs),
    Fault(
      "a header folded 2,000 times",
      [
        .bytes("HTTP/1.1 200 OK\r\nX: y\r\n"), .repeating(" z\r\n", count: 2_000),
        .bytes("Content-Length: 0\r\n\r\n"),
      ], .failure(.tooLarge), urlSession: .differs),
    Fault(
      "40,000 headers",
      [
        .bytes("HTTP/1.1 200 OK\r\n"), .repeating("X-Header: value\r\n", count: 40_000),
        .bytes("Content-Length: 0\r\n\r\n"),
      ], .failure(.tooLarge), urlSession: .differs),
    Fault(
      "a header of half a megabyte",
      [
        .bytes("HTTP/1.1 200 OK\r\nX-Header: "), .repeating("value", count: 100_000),
        .bytes("\r\nContent-Length: 0\r\n\r\n"),
      ], .failure(.tooLarge), urlSession: .differs),
    Fault(
      "an endless header", [.bytes("HTTP/1.1 200 OK\r\nX-Header: "), .repeatForever("value")],
      .failure(.tooLarge), urlSession: .differs),
    Fault(
      "endless interim responses", .repeatForever("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
      .failure(.tooLarge), urlSession: .differs),
  ]

  /// The length or the framing of the body is wrong.
  static let bodies: [Fault] = [
    Fault(
      "more than was said",
      head("HTTP/1.1 200 OK", "Content-Length: 5", then: [.bytes("hello, world"), .close]),
      .whole(.ok, "hello")),
    Fault(
      "a negative length",
      head("HTTP/1.1 200 OK", "Content-Length: -5", then: [.bytes("hello"), .close]),
      urlSession: .differs),
    Fault(
      "a length beyond all numbers",
      head(
        "HTTP/1.1 200 OK", "Content-Length: 99999999999999999999", then: [.bytes("hello"), .close]),
      urlSession: .differs),
    Fault(
      "the same length twice",
      head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 5, 5", then: .bytes("hello")),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "two lengths",
      head("HTTP/1.1 200 OK", "Content-Length: 6", "Content-Length: 5", then: .bytes("hello"))),
    Fault(
      "a list of two lengths",
      head("HTTP/1.1 200 OK", "Content-Length: 5, 6", then: .bytes("hello"))),
    Fault(
      "a length and a letter",
      head("HTTP/1.1 200 OK", "Content-Length: 5x", then: .bytes("hello"))),
    Fault(
      "a length in hexadecimal digits",
      head("HTTP/1.1 200 OK", "Content-Length: 0x5", then: [.bytes("hello"), .close]),
      urlSession: .differs),
    Fault(
      "a length with a sign",
      head("HTTP/1.1 200 OK", "Content-Length: +5", then: [.bytes("hello"), .close]),
      urlSession: .differs),
    Fault(
      "an empty length",
      head("HTTP/1.1 200 OK", "Content-Length:", then: [.bytes("hello"), .close]),
      urlSession: .differs),
    Fault(
      "304 with two lengths",
      head("HTTP/1.1 304 Not Modified", "Content-Length: 5", "Content-Length: 6"),
      .whole(304, ""), urlSession: .differs),
    Fault(
      "204 with a body",
      head("HTTP/1.1 204 No Content", "Content-Length: 5", then: .bytes("hello")),
      .whole(.noContent, ""), urlSession: .differs),
    Fault("chunks", .chunked(["he", "llo"]), .whole(.ok, "hello")),
    Fault(
      "chunks with trailers", .chunked(["hello"], trailers: ["X-Sum": "1", "HTTP/1.1 500": "x"]),
      .whole(.ok, "hello"), urlSession: .crash),
    Fault(
      "chunks and a length",
      head(
        "HTTP/1.1 200 OK", "Content-Length: 99", "Transfer-Encoding: chunked",
        then: .bytes("5\r\nhello\r\n0\r\n\r\n")), urlSession: .differs),
    Fault(
      "chunks twice over",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding: chunked, chunked",
        then: [.bytes("5\r\nhello\r\n0\r\n\r\n"), .close]), urlSession: .differs),
    Fault(
      "chunks behind a space before the colon",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding : chunked",
        then: [.bytes("5\r\nhello\r\n0\r\n\r\n"), .close]), urlSession: .differs),
    Fault(
      "chunks in a folded line",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding:", " chunked",
        then: [.bytes("5\r\nhello\r\n0\r\n\r\n"), .close]), urlSession: .differs),
    Fault(
      "a length behind a space before the colon",
      head("HTTP/1.1 200 OK", "Content-Length : 5", then: [.bytes("hello, world"), .close]),
      urlSession: .differs),
    Fault(
      "gzip as a transfer coding",
      head("HTTP/1.1 200 OK", "Transfer-Encoding: gzip", then: [.bytes(gzip), .close]),
      urlSession: .differs),
    Fault(
      "a transfer coding that nobody knows",
      head("HTTP/1.1 200 OK", "Transfer-Encoding: klingon", then: [.bytes("hello"), .close]),
      urlSession: .differs),
    Fault(
      "a transfer coding that does nothing",
      head("HTTP/1.1 200 OK", "Transfer-Encoding: identity", then: [.bytes("hello"), .close]),
      .whole(.ok, "hello"), urlSession: .differs),
    Fault(
      "a transfer coding that does nothing, and a length",
      head(
        "HTTP/1.1 200 OK", "Content-Length: 2", "Transfer-Encoding: identity",
        then: [.bytes("hello"), .close]), urlSession: .differs),
    Fault(
      "a chunk without a size",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", then: [.bytes("zz\r\nhello\r\n"), .close])),
    Fault(
      "a chunk beyond all numbers",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding: chunked",
        then: [.bytes("fffffffffffffffff\r\nhello\r\n"), .close])),
    Fault(
      "a chunk that is longer than it says",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", then: [.bytes("3\r\nhello\r\n"), .close])),
    Fault(
      "no last chunk",
      head(
        "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", then: [.bytes("5\r\nhello\r\n"), .close])),
    Fault(
      "one byte at a time",
      .drip("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", every: .milliseconds(1)),
      .whole(.ok, "hello")),
  ]

  /// The content coding is unusual or broken.
  static let codings: [Fault] =
    [
      Fault("gzip", coded("gzip", gzip), .whole(.ok, "hello")),
      Fault(
        "gzip in two parts", coded("gzip", gzip + gzip), .whole(.ok, "hellohello"),
        urlSession: .differs),
      Fault(
        "gzip twice said", coded("x-gzip, identity", gzip), .whole(.ok, "hello"),
        urlSession: .differs),
      Fault("deflate", coded("deflate", deflate), .whole(.ok, "hello")),
      Fault(
        "deflate without its envelope", coded("deflate", Array(deflate[2...8])),
        .whole(.ok, "hello")),
      Fault("no gzip at all", coded("gzip", Array("hello".utf8))),
      Fault(
        "gzip with a wrong checksum",
        coded("gzip", gzip.enumerated().map { $0 == 17 ? $1 ^ 1 : $1 })),
      Fault(
        "gzip and something else", coded("gzip", gzip + Array("hello".utf8)), urlSession: .differs),
      Fault(
        "an empty body said to be gzip", coded("gzip", []), .whole(.ok, ""), urlSession: .differs),
      Fault(
        "a coding that nobody knows", coded("klingon", Array("hello".utf8)), .whole(.ok, "hello"),
        urlSession: .differs),
      Fault("br", coded("br", brotli), .whole(.ok, "hello")),
      Fault("zstd", coded("zstd", zstandard), .whole(.ok, "hello"), urlSession: .differs),
      Fault("no br at all", coded("br", Array("hello".utf8)), urlSession: .differs),
      Fault("no zstd at all", coded("zstd", Array("hello".utf8)), urlSession: .differs),
      Fault(
        "no coding, called none", coded("none", Array("hello".utf8)), .whole(.ok, "hello"),
        urlSession: .differs),
      Fault(
        "codings without end",
        coded(Array(repeating: "gzip", count: 100).joined(separator: ","), gzip),
        urlSession: .differs),
    ]
    + (1..<gzip.count).map {
      Fault(
        "gzip that ends after \($0) bytes", coded("gzip", Array(gzip.prefix($0))),
        urlSession: .differs)
    }
    + (1..<brotli.count).map {
      Fault(
        "br that ends after \($0) bytes", coded("br", Array(brotli.prefix($0))),
        urlSession: .differs)
    }
    + (1..<zstandard.count).map {
      Fault(
        "zstd that ends after \($0) bytes", coded("zstd", Array(zstandard.prefix($0))),
        urlSession: .differs)
    }

  static let all = connections + heads + bodies + codings
}
