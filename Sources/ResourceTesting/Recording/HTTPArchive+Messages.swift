public import Foundation
public import ResourceLoading
import ResourcePrimitives

extension HTTPArchive {
  /// A message of a WebSocket.
  public struct Message: Sendable, Hashable {
    /// Whether the client has sent it; otherwise the server has.
    public var isSent: Bool
    /// When it was sent or had arrived; `nil` if it isn't known.
    public var date: Date?
    /// The message itself.
    public var content: WebSocket.Message

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - content: The message itself.
    ///   - isSent: Whether the client has sent it.
    ///   - date: When it was sent or had arrived; `nil` if it isn't known.
    public init(_ content: WebSocket.Message, isSent: Bool, date: Date? = nil) {
      (self.content, self.isSent, self.date) = (content, isSent, date)
    }
  }
}

extension HTTPArchive.Message: CustomStringConvertible, CustomReflectable {
  /// The direction and the size, such as `received a text of 12 bytes`: the message may contain
  /// secrets.
  public var description: String {
    let (kind, size) =
      switch content {
      case .text(let text): ("a text", text.utf8.count)
      case .binary(let data): ("bytes", data.count)
      }
    return "\(isSent ? "sent" : "received") \(kind) of \(size) bytes"
  }

  /// Shows what the description does.
  public var customMirror: Mirror { Mirror(self, children: ["message": description]) }
}

// The members are those of Chrome, which HAR 1.2 lacks.

extension HTTPArchive.Message: Codable {
  /// Reads a message.
  ///
  /// - Throws: `DecodingError` if it isn't a text or bytes, or its direction is missing.
  public init(from decoder: any Decoder) throws {
    let message = try decoder.container(keyedBy: HTTPArchive.Key.self)
    let type = try message.decode(String.self, forKey: "type")
    let text = try message.decode(String.self, forKey: "data")
    let opcode = message.count("opcode") ?? 1
    let bytes = opcode == 2 ? BodyCoding.base64.data(of: text) : nil
    guard ["send", "receive"].contains(type), opcode == 1 || bytes != nil else {
      throw DecodingError.dataCorruptedError(
        forKey: "type", in: message, debugDescription: "this isn't a message")
    }
    self.init(bytes.map { .binary($0) } ?? .text(text), isSent: type == "send")
    if let time = try? message.decodeIfPresent(Double.self, forKey: "time"),
      (0..<253_402_300_800).contains(time)
    {
      date = Date(timeIntervalSince1970: (time * 1_000_000).rounded() / 1_000_000)
    }
  }

  /// Writes the message, with its time in seconds since 1970.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var message = encoder.container(keyedBy: HTTPArchive.Key.self)
    try message.encode(isSent ? "send" : "receive", forKey: "type")
    let time = date.map { ($0.timeIntervalSince1970 * 1_000_000).rounded() / 1_000_000 }
    try message.encode(time ?? -1, forKey: "time")
    switch content {
    case .text(let text):
      try message.encode(1, forKey: "opcode")
      try message.encode(text, forKey: "data")
    case .binary(let data):
      try message.encode(2, forKey: "opcode")
      try message.encode(data.base64EncodedString(), forKey: "data")
    }
  }
}

extension KeyedDecodingContainer where Key == HTTPArchive.Key {
  /// The messages, without those that can't be read.
  var messages: [HTTPArchive.Message] {
    let list = try? decodeIfPresent([ReadableMessage].self, forKey: "_webSocketMessages")
    return (list ?? []).compactMap(\.message)
  }
}

private struct ReadableMessage: Decodable {
  let message: HTTPArchive.Message?

  init(from decoder: any Decoder) throws {
    message = try? HTTPArchive.Message(from: decoder)
  }
}

/// Reads the messages of a WebSocket from the bytes that pass in both directions.
struct MessageLog {
  private(set) var messages: [HTTPArchive.Message] = []
  /// Whether messages are missing because they were too many, or not those of a WebSocket.
  private(set) var isIncomplete = false
  private var received: WebSocketReader
  private var sent: WebSocketReader
  private var room: Int

  /// - Parameters:
  ///   - head: The response that switches protocols.
  ///   - limit: The most bytes of all messages.
  init(_ head: ResponseHead, atMost limit: Int) {
    let extensions = head.headers.values(of: "Sec-WebSocket-Extensions").joined().lowercased()
    let isCompressed = extensions.includes("permessage-deflate")
    func reader(isMasked: Bool, _ side: String) -> WebSocketReader {
      var compression = WebSocketCompression()
      compression.othersMessagesStandAlone = extensions.includes("\(side)_no_context_takeover")
      return WebSocketReader(
        limit: limit, isMasked: isMasked,
        inflater: isCompressed ? WebSocketInflater(compression) : nil)
    }
    received = reader(isMasked: false, "server")
    sent = reader(isMasked: true, "client")
    room = limit
  }

  /// Reads a piece that was sent or received.
  mutating func read(_ bytes: Data, isSent: Bool, on date: Date) {
    guard !isIncomplete else { return }
    var events: [WebSocketReader.Event] = []
    do throws(WebSocketViolation) {
      if isSent {
        try sent.read(bytes, into: &events)
      } else {
        try received.read(bytes, into: &events)
      }
    } catch {
      isIncomplete = true
    }
    for case .message(let message) in events {
      room -= message.size
      guard room >= 0 else {
        isIncomplete = true
        return
      }
      messages.append(HTTPArchive.Message(message, isSent: isSent, date: date))
    }
  }
}

extension WebSocket.Message {
  /// The number of bytes.
  fileprivate var size: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .binary(let data): data.count
    }
  }
}
