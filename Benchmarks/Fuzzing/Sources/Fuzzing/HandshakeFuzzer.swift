import Foundation
import Trials

@testable import ResourceLoading

/// Handshakes of WebSockets: responses to a request that switches protocols, and what they agree
/// on.
struct HandshakeFuzzer: Fuzzer {
  let bounds = Bounds()

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    if choices.flip() {
      checkSplits(payload)
    } else {
      checkAgreement(String(decoding: payload, as: UTF8.self), &choices)
    }
  }
}

// MARK: - Responses

extension HandshakeFuzzer {
  private struct Outcome: Equatable {
    var events: [UpgradeReader.Event] = []
    var error: String?

    init(_ bytes: [UInt8], step: Int) {
      var reader = UpgradeReader()
      var rest = bytes[...]
      do throws(LoadError) {
        while !rest.isEmpty {
          let piece = rest.prefix(step)
          rest = rest.dropFirst(piece.count)
          var pieces: [UpgradeReader.Event] = []
          defer { for event in pieces { append(event) } }
          try reader.read(piece, into: &pieces)
        }
        try reader.readEnd(into: &events)
      } catch {
        self.error = error.reason
      }
    }

    /// Neighbouring pieces are joined.
    private mutating func append(_ event: UpgradeReader.Event) {
      guard case .bytes(let piece) = event, case .bytes(var before)? = events.last else {
        return events.append(event)
      }
      // Without a copy of what is there.
      events.removeLast()
      before.append(piece)
      events.append(.bytes(before))
    }
  }

  private func checkSplits(_ bytes: [UInt8]) {
    let whole = Outcome(bytes, step: .max)
    for step in [1, 7, 500] {
      let split = Outcome(bytes, step: step)
      claim(split == whole, "split by \(step) it is something else: \(split) and \(whole)")
    }
    claim((whole.error == nil) == (whole.events.last == .end), "an end that is none: \(whole)")
    let heads = whole.events.count { if case .head = $0 { true } else { false } }
    claim(heads <= 1, "\(heads) heads")
    claim(whole.error?.utf8.count ?? 0 < 1000, "a long reason")
  }
}

// MARK: - Agreements

extension HandshakeFuzzer {
  private func checkAgreement(_ text: String, _ choices: inout Choices) {
    var options = WebSocket.Options()
    options.compresses = choices.flip()
    options.subprotocols = choices.pick([[], ["chat"], ["v2.chat", "v1.chat"]])
    let handshake = WebSocketHandshake(options)
    let name: Headers.Name = choices.pick([
      "Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol", "Sec-WebSocket-Accept", "Upgrade",
      "Connection",
    ])
    var head = head(for: handshake)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).prefix(20) {
      if choices.flip() {
        head.headers.append(name, String(line))
      } else {
        head.headers[name] = String(line)
      }
    }
    guard let agreement = agreement(of: handshake, head) else { return }

    let accepted = WebSocketHandshake.acceptance(of: handshake.key)
    claim(
      head.headers["Sec-WebSocket-Accept"]?.contains(accepted) == true,
      "a server that hasn't read the key")
    claim(
      agreement.subprotocol.map { options.subprotocols.contains($0) } ?? true,
      "a subprotocol that wasn't offered: \(agreement)")
    claim(agreement.compression == nil || options.compresses, "compression that wasn't offered")
    claim(
      (8...15).contains(agreement.compression?.ownWindowBits ?? 15), "no window: \(agreement)")
    checkWritten(agreement, handshake)
  }

  private func head(for handshake: WebSocketHandshake) -> ResponseHead {
    ResponseHead(
      status: .switchingProtocols,
      headers: [
        "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Accept": WebSocketHandshake.acceptance(of: handshake.key),
      ])
  }

  private func agreement(
    of handshake: WebSocketHandshake, _ head: ResponseHead
  ) -> WebSocketHandshake.Agreement? {
    do {
      return try handshake.agreement(head)
    } catch {
      claim("\(error)".utf8.count < 10_000, "a long reason")
      return nil
    }
  }

  /// What was agreed on, written as a server writes it, is agreed on again.
  private func checkWritten(
    _ agreement: WebSocketHandshake.Agreement, _ handshake: WebSocketHandshake
  ) {
    var head = head(for: handshake)
    head.headers["Sec-WebSocket-Protocol"] = agreement.subprotocol
    if let compression = agreement.compression {
      var parts = ["permessage-deflate", "client_max_window_bits=\(compression.ownWindowBits)"]
      if compression.othersMessagesStandAlone { parts.append("server_no_context_takeover") }
      if compression.ownMessagesStandAlone { parts.append("client_no_context_takeover") }
      head.headers["Sec-WebSocket-Extensions"] = parts.joined(separator: "; ")
    }
    let again = self.agreement(of: handshake, head)
    claim(again?.subprotocol == agreement.subprotocol, "another subprotocol: \(agreement)")
    claim(again?.compression == agreement.compression, "another compression: \(agreement)")
  }
}
