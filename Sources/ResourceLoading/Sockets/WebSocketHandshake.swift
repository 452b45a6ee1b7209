import Foundation
import ResourcePrimitives

/// The opening handshake of one connection (RFC 6455 section 4).
package struct WebSocketHandshake: Sendable {
  /// The nonce by which the server shows that it has read the request.
  let key: String
  private let options: WebSocket.Options

  init(_ options: WebSocket.Options) {
    self.options = options
    key = Data((0..<16).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
  }

  /// What was agreed on.
  struct Agreement: Sendable {
    var subprotocol: String?
    /// `nil` if messages aren't compressed.
    var compression: WebSocketCompression?
  }
}

extension WebSocketHandshake {
  /// Adds the fields of a client.
  func apply(to headers: inout Headers) {
    headers["Connection"] = "Upgrade"
    headers["Upgrade"] = "websocket"
    headers["Sec-WebSocket-Version"] = "13"
    headers["Sec-WebSocket-Key"] = key
    if !options.subprotocols.isEmpty {
      headers["Sec-WebSocket-Protocol"] = options.subprotocols.joined(separator: ", ")
    }
    if offersCompression {
      headers["Sec-WebSocket-Extensions"] = "permessage-deflate; client_max_window_bits"
    }
  }

  private var offersCompression: Bool { options.compresses && WebSocketCompression.isAvailable }

  /// Checks the head of a server that switches protocols.
  func agreement(_ head: ResponseHead) throws(LoadError) -> Agreement {
    guard head.headers["Upgrade"]?.lowercased() == "websocket",
      head.headers.tokens(of: "Connection").contains("upgrade")
    else { throw .failed("it switches to another protocol") }
    guard head.headers["Sec-WebSocket-Accept"]?.trimmingSpaces() == Self.acceptance(of: key) else {
      throw .failed("its Sec-WebSocket-Accept doesn't fit the key")
    }
    let subprotocol = head.headers["Sec-WebSocket-Protocol"]
    if let subprotocol, !options.subprotocols.contains(subprotocol) {
      let name = subprotocol.shortened(to: 100).printable
      throw .failed("it speaks a subprotocol that wasn't offered: \(name)")
    }
    return Agreement(subprotocol: subprotocol, compression: try compression(head))
  }

  /// The value by which a server accepts a key.
  package static func acceptance(of key: String) -> String {
    Data(SHA1Hash.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
      .base64EncodedString()
  }

  private func compression(_ head: ResponseHead) throws(LoadError) -> WebSocketCompression? {
    let fields = head.headers.filter { $0.name == "Sec-WebSocket-Extensions" }.map(\.value)
    let extensions = fields.joined(separator: ",").split(separator: ",").map { $0.trimmed }
      .filter { !$0.isEmpty }
    guard let text = extensions.first else { return nil }
    let parts = text.split(separator: ";").map { $0.trimmed }
    guard extensions.count == 1, offersCompression,
      parts.first?.lowercased() == "permessage-deflate"
    else { throw .failed("it uses an extension that wasn't offered") }
    var compression = WebSocketCompression()
    var names: Set<String> = []
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmed }
      let name = pair.first?.lowercased() ?? ""
      guard names.insert(name).inserted,
        compression.set(name, to: pair.dropFirst().first?.trimmingQuotes)
      else { throw .failed("the parameters of its compression are malformed") }
    }
    return compression
  }
}

extension WebSocketCompression {
  /// Sets a parameter of a server (RFC 7692 section 7.1).
  ///
  /// - Returns: Whether it is one.
  fileprivate mutating func set(_ name: String, to value: String?) -> Bool {
    let bits = value.flatMap { $0.hasOnlyDigits ? Int($0) : nil }
    switch (name, value) {
    case ("server_no_context_takeover", nil): othersMessagesStandAlone = true
    case ("client_no_context_takeover", nil): ownMessagesStandAlone = true
    // Any window can be decompressed with the largest one.
    case ("server_max_window_bits", .some): return (8...15).contains(bits ?? 0)
    case ("client_max_window_bits", .some):
      ownWindowBits = bits ?? 0
      return (8...15).contains(ownWindowBits)
    default: return false
    }
    return true
  }
}

extension LoadError {
  /// The error for a server whose handshake isn't one.
  fileprivate static func failed(_ reason: String) -> LoadError {
    LoadError(
      .parsing, "the server doesn't open a WebSocket: \(reason)",
      advice: "Check the URL, and whether a proxy is in between")
  }
}

extension Headers {
  /// The comma-separated values of a field, in lower case.
  fileprivate func tokens(of name: Headers.Name) -> [String] {
    filter { $0.name == name }
      .flatMap { $0.value.split(separator: ",") }.map { $0.trimmed.lowercased() }
  }
}

extension StringProtocol {
  fileprivate var trimmed: String { String(self).trimmingSpaces() }

  fileprivate var trimmingQuotes: String {
    count >= 2 && hasPrefix("\"") && hasSuffix("\"") ? String(dropFirst().dropLast()) : String(self)
  }
}

/// The hash of the handshake (FIPS 180-4 section 6.1), which protects nothing.
private enum SHA1Hash {
  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    let message = padded(bytes)
    for start in stride(from: 0, to: message.count, by: 64) {
      compress(words(message[start..<start + 64]), into: &state)
    }
    return state.flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
    let length = stride(from: 56, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: (UInt64(bytes.count) * 8) >> $0)
    }
    return bytes + [0x80] + zeros + length
  }

  private static func words(_ block: ArraySlice<UInt8>) -> [UInt32] {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
      words.append((word << 1) | (word >> 31))
    }
    return words
  }

  private static func compress(_ words: [UInt32], into state: inout [UInt32]) {
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = ((a << 5) | (a >> 27)) &+ mixed &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, (b << 30) | (b >> 2), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }
}
