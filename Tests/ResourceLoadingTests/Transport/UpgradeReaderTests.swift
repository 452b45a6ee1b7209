import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

#if os(Linux)
  import Glibc
#endif

struct UpgradeReaderTests {
  private typealias Event = UpgradeReader.Event

  /// The events of a connection that ends after some bytes, with neighbouring pieces joined; `nil`
  /// for an error.
  private func events(
    _ text: String, splitAt split: Int = 0, method: Request.Method = .get
  ) -> [Event]? {
    var (reader, events) = (UpgradeReader(for: method), [Event]())
    let bytes = Array(text.utf8)
    do {
      try reader.read(bytes[..<split], into: &events)
      try reader.read(bytes[split...], into: &events)
      try reader.readEnd(into: &events)
    } catch {
      return nil
    }
    return events.reduce(into: []) { joined, event in
      if case .bytes(let piece) = event, case .bytes(let before)? = joined.last {
        joined[joined.count - 1] = .bytes(before + piece)
      } else {
        joined.append(event)
      }
    }
  }

  private func head(_ status: Status, _ headers: Headers = [:]) -> Event {
    .head(ResponseHead(status: status, headers: headers))
  }

  private static let responses = [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u{1}\n\r\nmore",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno",
    "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0A \r\n0123456789\r\n0\r\nX: 1\r\n\r\n",
    "HTTP/1.0 500 Error\n\nup to the end",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\nignored",
  ]

  @Test func `a response is read up to its end`() {
    let all = Self.responses.map { events($0) }

    #expect(
      all[0] == [
        head(.switchingProtocols, ["Upgrade": "websocket"]), .bytes(Data("\u{1}\n\r\nmore".utf8)),
        .end,
      ])
    #expect(all[1] == [head(.switchingProtocols), .end])
    #expect(
      all[2] == [
        .interim(ResponseHead(status: 100)),
        .interim(ResponseHead(status: 103, headers: ["Link": "a"])),
        head(.unauthorized, [.contentLength: "2"]), .bytes(Data("no".utf8)), .end,
      ])
    #expect(
      all[3] == [
        head(.notFound, [.transferEncoding: "chunked"]), .bytes(Data("abc0123456789".utf8)), .end,
      ])
    #expect(all[4] == [head(500), .bytes(Data("up to the end".utf8)), .end])
    #expect(all[5] == [head(.noContent), .end])
    #expect(all[6] == [head(302, [.location: "/new", .contentLength: "0"]), .end])
  }

  @Test(arguments: responses)
  func `every split of the bytes gives the same events`(response: String) {
    let whole = events(response)

    for split in 0...response.utf8.count { #expect(events(response, splitAt: split) == whole) }
  }

  @Test func `a response that is cut off is an error`() {
    for response in [Self.responses[2], Self.responses[3]] {
      for count in 0..<response.utf8.count {
        #expect(events(String(decoding: response.utf8.prefix(count), as: UTF8.self)) == nil)
      }
    }
  }

  @Test(arguments: [
    "220 mail.example.org ESMTP\r\n\r\n", "\u{16}\u{3}\u{1}\n", "HTTP/2 200\r\n\r\n", "\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n",
  ])
  func `what isn't HTTP/1 is an error`(response: String) {
    #expect(events(response) == nil)
  }

  @Test func `a line without an end takes a bounded number of bytes`() {
    var (reader, events) = (UpgradeReader(), [Event]())
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 64 << 10)

    let error = #expect(throws: LoadError.self) {
      try reader.read("HTTP/1.1 200 OK\r\n".utf8, into: &events)
      for _ in 0..<8 { try reader.read(piece, into: &events) }
    }

    #expect(error?.kind == .tooLarge)
  }

  @Test func `a response to HEAD has no body`() {
    let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

    #expect(events(response, method: .head) == [head(.ok, [.contentLength: "5"]), .end])
  }

  @Test func `the head of a request names the host, and the fields in their order`() throws {
    let url = try #require(URL(string: "https://[::1]:8443/a%20b?q=1"))
    let request = try WireRequest(
      .get, url: url, headers: ["B": "1", "A": "2", "Proxy-Authorization": "secret"])

    let text = String(
      decoding: request.head(adding: ["a": "3", "C": "4", "Content-Length": "5"]), as: UTF8.self)

    #expect(
      text == "GET /a%20b?q=1 HTTP/1.1\r\nHost: [::1]:8443\r\nB: 1\r\nA: 2\r\nC: 4\r\n\r\n")
  }

  #if os(Linux)
    @Test(.timeLimit(.minutes(15)))
    func `a server understands the head, and its answer is read`() throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { _ in .socket { try $0.send("hello") } }
      }
      defer { server.stop() }
      var headers: Headers = [:]
      WebSocketHandshake(WebSocket.Options()).apply(to: &headers)
      let request = try WireRequest(.get, url: server.url("/live"), headers: headers)
      let client = try #require(LocalSocket.connect(to: Int(server.port)))
      defer { close(client) }

      let bytes = Array(request.head())
      #expect(send(client, bytes, bytes.count, 0) == bytes.count)
      var (reader, events) = (UpgradeReader(), [Event]())
      var buffer = [UInt8](repeating: 0, count: 1024)
      while case let count = recv(client, &buffer, buffer.count, 0), count > 0 {
        try reader.read(buffer.prefix(count), into: &events)
      }
      try reader.readEnd(into: &events)

      guard case .head(let head)? = events.first else {
        Issue.record("there is no head")
        return
      }
      #expect(head.status == .switchingProtocols)
      let body = events.reduce(into: Data()) { if case .bytes(let bytes) = $1 { $0 += bytes } }
      #expect(body == Data([0x81, 5] + Array("hello".utf8)))
      #expect(events.last == .end)
    }
  #endif
}
