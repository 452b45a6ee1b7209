/// A frame of HTTP/2 (RFC 9113 section 4.1), valid or not.
struct HTTP2Frame {
  var kind: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []
  /// The length in the frame's header; `nil` for the payload's length.
  var claimedLength: Int?

  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let push: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let window: UInt8 = 8
    static let continuation: UInt8 = 9
  }

  enum Flag {
    static let endStream: UInt8 = 0x1
    static let acknowledged: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
  }

  var bytes: [UInt8] {
    let length = claimedLength ?? payload.count
    return [
      UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), kind, flags,
    ]
      + Self.word(stream) + payload
  }

  static func word(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
  }
}

extension HTTP2Frame {
  static func data(_ text: String, ends: Bool = false, on stream: UInt32 = 1) -> HTTP2Frame {
    HTTP2Frame(
      kind: Kind.data, flags: ends ? Flag.endStream : 0, stream: stream, payload: Array(text.utf8))
  }

  static func headers(
    _ fields: [(String, String)], ends: Bool = false, on stream: UInt32 = 1
  ) -> HTTP2Frame {
    HTTP2Frame(
      kind: Kind.headers, flags: Flag.endHeaders | (ends ? Flag.endStream : 0), stream: stream,
      payload: block(fields))
  }

  /// Header lines of any size: a frame of headers and its continuations.
  static func longHeaders(_ fields: [(String, String)], on stream: UInt32 = 1) -> [UInt8] {
    var (rest, kind, bytes) = (block(fields)[...], Kind.headers, [UInt8]())
    repeat {
      let part = rest.prefix(16_384)
      rest = rest.dropFirst(16_384)
      bytes +=
        HTTP2Frame(
          kind: kind, flags: rest.isEmpty ? Flag.endHeaders : 0, stream: stream,
          payload: Array(part)
        ).bytes
      kind = Kind.continuation
    } while !rest.isEmpty
    return bytes
  }

  static func reset(_ code: UInt32, on stream: UInt32 = 1) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.reset, stream: stream, payload: word(code))
  }

  static func settings(_ entries: [(UInt16, UInt32)] = []) -> HTTP2Frame {
    HTTP2Frame(
      kind: Kind.settings,
      payload: entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + word($0.1) })
  }

  static func goAway(_ last: UInt32, _ code: UInt32 = 0, _ text: String = "") -> HTTP2Frame {
    HTTP2Frame(kind: Kind.goAway, payload: word(last) + word(code) + Array(text.utf8))
  }

  static func window(_ increment: UInt32, on stream: UInt32 = 0) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.window, stream: stream, payload: word(increment))
  }

  static let ping = HTTP2Frame(kind: Kind.ping, payload: Array("testtest".utf8))

  /// A block of fields in HPACK (RFC 7541): literals without an index and without Huffman's code.
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { [0x00] + string($0.0) + string($0.1) }
  }

  private static func string(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var (length, rest): ([UInt8], Int) = ([127], bytes.count - 127)
    while rest >= 128 {
      length.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return length + [UInt8(rest)] + bytes
  }
}
