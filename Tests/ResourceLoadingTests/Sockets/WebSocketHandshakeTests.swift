import Foundation
import Testing

@testable import ResourceLoading

struct WebSocketHandshakeTests {
  private func head(_ key: String, _ fields: [(Headers.Name, String)] = []) -> ResponseHead {
    var headers: Headers = ["Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket"]
    headers["Sec-WebSocket-Accept"] = WebSocketHandshake.acceptance(of: key)
    for (name, value) in fields { headers[name] = value }
    return ResponseHead(status: .switchingProtocols, headers: headers)
  }

  private static var compressing: WebSocket.Options {
    var options = WebSocket.Options()
    options.compresses = true
    return options
  }

  @Test func `the acceptance is that of RFC 6455`() {
    let acceptance = WebSocketHandshake.acceptance(of: "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(acceptance == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func `each handshake has a key of its own, of 16 bytes`() {
    let (first, second) = (WebSocketHandshake(.init()).key, WebSocketHandshake(.init()).key)
    #expect(first != second)
    #expect(Data(base64Encoded: first)?.count == 16)
  }

  @Test func `the request has the fields of a handshake`() {
    var options = WebSocket.Options()
    options.subprotocols = ["chat.v2", "chat"]
    var headers: Headers = [:]
    WebSocketHandshake(options).apply(to: &headers)
    #expect(headers["Upgrade"] == "websocket")
    #expect(headers["Connection"] == "Upgrade")
    #expect(headers["Sec-WebSocket-Version"] == "13")
    #expect(headers["Sec-WebSocket-Protocol"] == "chat.v2, chat")
    #expect(headers["Sec-WebSocket-Extensions"] == nil)
  }

  @Test func `a subprotocol that was offered is agreed on`() throws {
    var options = WebSocket.Options()
    options.subprotocols = ["chat.v2", "chat"]
    let handshake = WebSocketHandshake(options)
    let agreement = try handshake.agreement(
      head(handshake.key, [("Sec-WebSocket-Protocol", "chat")]))
    #expect(agreement.subprotocol == "chat")
    #expect(agreement.compression == nil)
  }

  @Test(
    arguments: [
      ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "Sec-WebSocket-Accept"),
      ("Upgrade", "h2c", "another protocol"), ("Connection", "keep-alive", "another protocol"),
      ("Sec-WebSocket-Protocol", "chat", "subprotocol"),
      ("Sec-WebSocket-Extensions", "x-webkit-deflate-frame", "extension"),
      ("Sec-WebSocket-Extensions", "permessage-deflate", "extension"),
      ("Sec-WebSocket-Extensions", ";", "extension"),
    ] as [(Headers.Name, String, String)])
  func `a response that doesn't fit is refused`(
    name: Headers.Name, value: String, reason: String
  ) {
    let handshake = WebSocketHandshake(.init())
    let error = #expect(throws: LoadError.self) {
      try handshake.agreement(head(handshake.key, [(name, value)]))
    }
    #expect(error?.reason.contains(reason) == true)
  }

  @Test func `a long name of a subprotocol is shortened in the error`() {
    let handshake = WebSocketHandshake(.init())
    let name = String(repeating: "\u{1}", count: 60_000)

    let error = #expect(throws: LoadError.self) {
      try handshake.agreement(head(handshake.key, [("Sec-WebSocket-Protocol", name)]))
    }

    #expect((error?.reason.utf8.count ?? .max) < 2_000)
  }

  #if Curl && canImport(CResourceZlib)
    @Test(arguments: [
      ("permessage-deflate", false, false, 15),
      ("permessage-deflate; server_no_context_takeover", true, false, 15),
      ("permessage-deflate;client_no_context_takeover", false, true, 15),
      (
        "permessage-deflate; client_max_window_bits=10; server_max_window_bits=\"9\"", false, false,
        10
      ),
    ])
    func `compression is agreed on`(
      value: String, others: Bool, own: Bool, bits: Int
    ) throws {
      let handshake = WebSocketHandshake(Self.compressing)
      let agreement = try handshake.agreement(
        head(handshake.key, [("Sec-WebSocket-Extensions", value)]))
      #expect(agreement.compression?.othersMessagesStandAlone == others)
      #expect(agreement.compression?.ownMessagesStandAlone == own)
      #expect(agreement.compression?.ownWindowBits == bits)
    }

    @Test(arguments: [
      "permessage-deflate; unknown", "permessage-deflate; server_max_window_bits=16",
      "permessage-deflate; server_max_window_bits=7", "permessage-deflate; client_max_window_bits",
      "permessage-deflate; server_no_context_takeover=1",
      "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
      "permessage-deflate; client_max_window_bits=+9",
      ";", "; permessage-deflate;;=",
    ])
    func `parameters that are malformed are refused`(value: String) {
      let handshake = WebSocketHandshake(Self.compressing)
      #expect(throws: LoadError.self) {
        try handshake.agreement(head(handshake.key, [("Sec-WebSocket-Extensions", value)]))
      }
    }
  #endif
}
