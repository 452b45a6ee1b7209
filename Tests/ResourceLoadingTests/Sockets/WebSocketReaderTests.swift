import Foundation
import Testing

@testable import ResourceLoading

struct WebSocketReaderTests {
  /// RFC 6455 section 5.7.
  @Test(
    arguments: [
      ([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.message("Hello")]),
      ([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], [.message("Hello")]),
      ([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.ping(Array("Hello".utf8))]),
      ([0x8A, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], [.pong(Array("Hello".utf8))]),
      ([0x82, 0x02, 0x01, 0x02], [.message(.binary(Data([1, 2])))]),
      ([0x81, 0x00, 0x82, 0x00], [.message(""), .message(.binary(Data()))]),
      (
        [0x01, 0x01, 0x61, 0x89, 0x01, 0x31, 0x00, 0x01, 0x62, 0x8A, 0x00, 0x80, 0x01, 0x63],
        [.ping([0x31]), .pong([]), .message("abc")]
      ),
      ([0x88, 0x00], [.close(WebSocket.Closure())]),
      (
        [0x88, 0x05, 0x03, 0xE8, 0x62, 0x79, 0x65],
        [.close(WebSocket.Closure(code: .normal, reason: "bye"))]
      ),
    ] as [([UInt8], [WebSocketReader.Event])])
  func `frames are read wherever their bytes are split`(
    bytes: [UInt8], events: [WebSocketReader.Event]
  ) throws {
    for split in 0...bytes.count {
      var reader = WebSocketReader(limit: 100)
      var read: [WebSocketReader.Event] = []
      try reader.read(bytes[..<split], into: &read)
      try reader.read(bytes[split...], into: &read)
      #expect(read == events, "split at \(split)")
    }
    var reader = WebSocketReader(limit: 100)
    var read: [WebSocketReader.Event] = []
    for byte in bytes { try reader.read([byte], into: &read) }
    #expect(read == events)
  }

  @Test func `a masked frame of RFC 6455 is read by a server`() throws {
    let bytes: [UInt8] = [
      0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
    ]
    for split in 0...bytes.count {
      var reader = WebSocketReader(limit: 100, isMasked: true)
      var events: [WebSocketReader.Event] = []
      try reader.read(bytes[..<split], into: &events)
      try reader.read(bytes[split...], into: &events)
      #expect(events == [.message("Hello")])
    }
  }

  @Test(
    arguments: [
      ("a second reserved bit", [0xA1, 0x00], 1002),
      ("a third reserved bit", [0x91, 0x00], 1002),
      ("compression that wasn't agreed on", [0xC1, 0x00], 1002),
      ("opcode 3", [0x83, 0x00], 1002), ("opcode 7", [0x87, 0x00], 1002),
      ("opcode 11", [0x8B, 0x00], 1002), ("opcode 15", [0x8F, 0x00], 1002),
      ("a masked frame", [0x81, 0x81, 1, 2, 3, 4, 0], 1002),
      ("a fragmented ping", [0x09, 0x00], 1002),
      ("a ping of 126 bytes", [0x89, 0x7E, 0x00, 0x7E], 1002),
      ("a continuation of nothing", [0x80, 0x00], 1002),
      ("a text within a text", [0x01, 0x01, 0x61, 0x81, 0x01, 0x62], 1002),
      ("125 bytes with a length of 16 bits", [0x82, 0x7E, 0x00, 0x7D], 1002),
      ("65,535 bytes with a length of 64 bits", [0x82, 0x7F, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
      ("a negative length", [0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002),
      ("a close frame of one byte", [0x88, 0x01, 0x03], 1002),
      ("close code 0", [0x88, 0x02, 0x00, 0x00], 1002),
      ("close code 999", [0x88, 0x02, 0x03, 0xE7], 1002),
      ("close code 1004", [0x88, 0x02, 0x03, 0xEC], 1002),
      ("close code 1005", [0x88, 0x02, 0x03, 0xED], 1002),
      ("close code 1006", [0x88, 0x02, 0x03, 0xEE], 1002),
      ("close code 1015", [0x88, 0x02, 0x03, 0xF7], 1002),
      ("close code 2999", [0x88, 0x02, 0x0B, 0xB7], 1002),
      ("close code 5000", [0x88, 0x02, 0x13, 0x88], 1002),
      ("a reason that isn't UTF-8", [0x88, 0x03, 0x03, 0xE8, 0xFF], 1007),
      ("a text that isn't UTF-8", [0x81, 0x01, 0xFF], 1007),
      ("a text that ends within a character", [0x81, 0x01, 0xC3], 1007),
      ("a text of which the first half isn't UTF-8", [0x81, 0x05, 0xC0], 1007),
      ("a surrogate", [0x81, 0x03, 0xED, 0xA0], 1007),
      ("an overlong form", [0x81, 0x03, 0xE0, 0x80], 1007),
      ("a character after the last one", [0x81, 0x04, 0xF4, 0x90], 1007),
      ("101 bytes", [0x82, 0x65], 1009),
      ("101 bytes in two frames", [0x02, 0x01, 0x00, 0x80, 0x64], 1009),
      ("nine exabytes", [0x82, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1009),
    ] as [(String, [UInt8], UInt16)])
  func `a violation has its code, and what came before is read`(
    name: String, bytes: [UInt8], code: UInt16
  ) throws {
    let bytes = [0x89, 0x00] + bytes
    for split in 2...bytes.count {
      var reader = WebSocketReader(limit: 100)
      var events: [WebSocketReader.Event] = []
      let violation = #expect(throws: WebSocketViolation.self) {
        try reader.read(bytes[..<split], into: &events)
        try reader.read(bytes[split...], into: &events)
      }
      #expect(violation?.code.rawValue == code)
      #expect(events == [.ping([])])
    }
  }

  @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1011, 1012, 1013, 1014, 3000, 4999])
  func `a close code is read`(code: UInt16) throws {
    var reader = WebSocketReader(limit: 100)
    var events: [WebSocketReader.Event] = []
    try reader.read([0x88, 0x02, UInt8(code >> 8), UInt8(code & 0xFF)], into: &events)
    #expect(events == [.close(WebSocket.Closure(code: WebSocket.CloseCode(rawValue: code)))])
  }

  @Test func `a text is split anywhere in its characters`() throws {
    let text = "κόσμε 🎈 ñ"
    let bytes = Array(text.utf8)
    for split in 1..<bytes.count {
      let frames =
        WebSocketFrame(.text, isFinal: false).bytes(bytes[..<split], mask: nil)
        + WebSocketFrame(.continuation).bytes(bytes[split...], mask: nil)
      var reader = WebSocketReader(limit: 100)
      var events: [WebSocketReader.Event] = []
      try reader.read(frames, into: &events)
      #expect(events == [.message(.text(text))])
    }
  }

  @Test(arguments: [0, 1, 63, 64, 125, 126, 127, 65_535, 65_536, 200_000], [false, true])
  func `what is written is read again`(size: Int, isCompressed: Bool) throws {
    let agreement = isCompressed ? WebSocketCompression() : nil
    let payload = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 5) })
    var writer = WebSocketWriter(deflater: agreement.flatMap { WebSocketDeflater($0) })
    var reader = WebSocketReader(
      limit: 1 << 20, isMasked: true, inflater: agreement.flatMap { WebSocketInflater($0) })
    let text = String(repeating: "ä", count: size / 2)
    let messages: [WebSocket.Message] = [.binary(payload), .text(text), .binary(payload)]
    var events: [WebSocketReader.Event] = []
    var random = SystemRandomNumberGenerator()
    for message in messages {
      var bytes = writer.frame(message)[...]
      while !bytes.isEmpty {
        let piece = bytes.prefix(Int.random(in: 1...40_000, using: &random))
        try reader.read(piece, into: &events)
        bytes = bytes.dropFirst(piece.count)
      }
    }
    #expect(events == messages.map { .message($0) })
  }

  @Test func `a long reason is cut where a character ends`() throws {
    var writer = WebSocketWriter(masks: false)
    let frame = writer.close(
      WebSocket.Closure(code: .goingAway, reason: String(repeating: "ä", count: 100)))
    var reader = WebSocketReader(limit: 100)
    var events: [WebSocketReader.Event] = []
    try reader.read(frame, into: &events)
    let reason = String(repeating: "ä", count: 61)
    #expect(events == [.close(WebSocket.Closure(code: .goingAway, reason: reason))])
  }
}

#if Curl && canImport(CResourceZlib)
  extension WebSocketReaderTests {
    /// RFC 7692 section 7.2.3.
    @Test(
      arguments: [
        [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
        [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00],
        [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
        [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
        [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
      ] as [[UInt8]])
    func `a compressed message of RFC 7692 is read`(bytes: [UInt8]) throws {
      var reader = WebSocketReader(
        limit: 100, inflater: WebSocketInflater(WebSocketCompression()))
      var events: [WebSocketReader.Event] = []
      try reader.read(bytes, into: &events)
      #expect(events == [.message("Hello")])
    }

    @Test func `a message may refer to the one before`() throws {
      var reader = WebSocketReader(
        limit: 100, inflater: WebSocketInflater(WebSocketCompression()))
      var events: [WebSocketReader.Event] = []
      try reader.read([0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], into: &events)
      try reader.read([0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00], into: &events)
      #expect(events == [.message("Hello"), .message("Hello")])
    }

    @Test func `a stream that zlib refuses is freed once, and nothing is compressed`() {
      var agreement = WebSocketCompression()
      agreement.ownWindowBits = 16

      #expect(WebSocketDeflater(agreement).deflate(Array("hello".utf8)) == nil)
    }

    @Test(arguments: [8, 9, 12, 15], [false, true])
    func `each window and context is read again`(bits: Int, standsAlone: Bool) throws {
      var agreement = WebSocketCompression()
      (agreement.ownWindowBits, agreement.ownMessagesStandAlone) = (bits, standsAlone)
      var others = WebSocketCompression()
      others.othersMessagesStandAlone = standsAlone
      var writer = WebSocketWriter(deflater: WebSocketDeflater(agreement))
      var reader = WebSocketReader(
        limit: 1 << 20, isMasked: true, inflater: WebSocketInflater(others))
      var events: [WebSocketReader.Event] = []
      let messages = (0..<20).map { number in
        WebSocket.Message.text(String(repeating: "message \(number), ", count: 500))
      }
      var size = 0
      for message in messages {
        let frame = writer.frame(message)
        size += frame.count
        try reader.read(frame, into: &events)
      }
      #expect(events == messages.map { .message($0) })
      // The smallest window isn't compressed.
      #expect((size < 100_000) == (bits > 8))
    }

    @Test func `a message that grows beyond the limit is refused before it is whole`() throws {
      var writer = WebSocketWriter(
        masks: false, deflater: WebSocketDeflater(WebSocketCompression()))
      let frame = writer.frame(.binary(Data(count: 3 << 20)))
      #expect(frame.count < 20_000)
      var reader = WebSocketReader(
        limit: 1 << 20, inflater: WebSocketInflater(WebSocketCompression()))
      var events: [WebSocketReader.Event] = []
      let violation = #expect(throws: WebSocketViolation.self) {
        try reader.read(frame, into: &events)
      }
      #expect(violation?.code == .messageTooBig)
    }

    @Test func `a message that is out of proportion to its bytes is refused`() throws {
      let deflater = WebSocketDeflater(WebSocketCompression())
      let half = try #require(deflater.deflate([UInt8](repeating: 0, count: 3 << 20)))
      let whole = half + [0x00, 0x00, 0xFF, 0xFF] + half
      var events: [WebSocketReader.Event] = []

      for (payload, isRefused) in [(half, false), (whole, true)] {
        var reader = WebSocketReader(
          limit: 16 << 20, inflater: WebSocketInflater(WebSocketCompression()))
        let frame = WebSocketFrame(.binary, isCompressed: true).bytes(payload, mask: nil)
        var violation: WebSocketViolation?
        do throws(WebSocketViolation) {
          try reader.read(frame, into: &events)
        } catch {
          violation = error
        }
        #expect(violation?.code == (isRefused ? .messageTooBig : nil))
      }

      #expect(events == [.message(.binary(Data(count: 3 << 20)))])
    }

    @Test func `a message that compresses out of proportion is sent as it is`() throws {
      let compression = WebSocketCompression()
      var writer = WebSocketWriter(masks: false, deflater: WebSocketDeflater(compression))
      var reader = WebSocketReader(limit: 16 << 20, inflater: WebSocketInflater(compression))
      let text = WebSocket.Message.text(String(repeating: "again ", count: 100))
      let messages = [text, .binary(Data(count: 5 << 20)), text, text]
      var events: [WebSocketReader.Event] = []

      for message in messages { try reader.read(writer.frame(message), into: &events) }

      #expect(events == messages.map { .message($0) })
    }

    @Test func `what can't be compressed is sent as it is, and read up to the limit`() throws {
      var random = SystemRandomNumberGenerator()
      let bytes = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &random) }
      let compression = WebSocketCompression()
      var writer = WebSocketWriter(masks: false, deflater: WebSocketDeflater(compression))
      var reader = WebSocketReader(
        limit: bytes.count, inflater: WebSocketInflater(compression))
      // One stored block, as other programs send it.
      let stored = [0x00, 0x50, 0xC3, 0xAF, 0x3C] + bytes + [0x00]
      var events: [WebSocketReader.Event] = []

      let frame = writer.frame(.binary(Data(bytes)))
      #expect(frame.count == bytes.count + 4)
      try reader.read(frame, into: &events)
      try reader.read(
        WebSocketFrame(.binary, isCompressed: true).bytes(stored, mask: nil), into: &events)

      #expect(events == [.message(.binary(Data(bytes))), .message(.binary(Data(bytes)))])
    }

    @Test(.timeLimit(.minutes(10)))
    func `many blocks that are each the last one take linear time`() throws {
      var reader = WebSocketReader(
        limit: 16 << 20, inflater: WebSocketInflater(WebSocketCompression()))
      let blocks = (0..<1_000_001).map { UInt8($0 % 2 == 0 && $0 < 1_000_000 ? 0x03 : 0x00) }
      var events: [WebSocketReader.Event] = []

      try reader.read(
        WebSocketFrame(.binary, isCompressed: true).bytes(blocks, mask: nil), into: &events)

      #expect(events == [.message(.binary(Data()))])
    }

    @Test func `a message that can't be decompressed is invalid`() throws {
      var reader = WebSocketReader(
        limit: 100, inflater: WebSocketInflater(WebSocketCompression()))
      var events: [WebSocketReader.Event] = []
      let violation = #expect(throws: WebSocketViolation.self) {
        try reader.read([0xC1, 0x04, 0xFF, 0xFF, 0xFF, 0xFF], into: &events)
      }
      #expect(violation?.code == .invalidData)
    }
  }
#endif
