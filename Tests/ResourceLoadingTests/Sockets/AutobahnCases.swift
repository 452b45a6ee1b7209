import Foundation
import Testing

@testable import ResourceLoading

/// A case of the Autobahn test suite, by its number there: what a server sends, and what a client
/// has to make of it.
struct AutobahnCase: Sendable, CustomTestStringConvertible {
  let number: String
  /// What is sent, in pieces.
  let pieces: [[UInt8]]
  /// The messages that arrive.
  var messages: [WebSocket.Message] = []
  /// The payloads of the pongs that the client sends.
  var pongs: [[UInt8]] = []
  /// The code with which the client closes the socket, `nil` in a close frame without one; 1000 if
  /// the server closes it after all messages have come back.
  var code: UInt16? = 1000
  /// Whether the server closes the socket after all messages have come back.
  var endsWell = true

  var testDescription: String { number }
}

extension AutobahnCase {
  private static func frame(
    _ opcode: UInt8, _ payload: some Collection<UInt8> = [UInt8](), final: Bool = true,
    reserved: UInt8 = 0
  ) -> [UInt8] {
    var bytes = [(final ? 0x80 : 0) | reserved << 4 | opcode]
    if payload.count < 126 {
      bytes.append(UInt8(payload.count))
    } else {
      bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    }
    return bytes + payload
  }

  private static func text(_ text: String, final: Bool = true) -> [UInt8] {
    frame(1, Array(text.utf8), final: final)
  }

  private static func more(_ text: String, final: Bool = true) -> [UInt8] {
    frame(0, Array(text.utf8), final: final)
  }

  private static func close(_ code: UInt16, _ reason: String = "") -> [UInt8] {
    frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
  }

  private static func well(
    _ number: String, _ pieces: [[UInt8]], _ messages: [WebSocket.Message] = [],
    pongs: [[UInt8]] = []
  ) -> AutobahnCase {
    AutobahnCase(number: number, pieces: pieces, messages: messages, pongs: pongs)
  }

  private static func failing(
    _ number: String, _ pieces: [[UInt8]], _ messages: [WebSocket.Message] = [],
    pongs: [[UInt8]] = [], code: UInt16? = 1002
  ) -> AutobahnCase {
    AutobahnCase(
      number: number, pieces: pieces, messages: messages, pongs: pongs, code: code,
      endsWell: false)
  }

  private static func octets(_ bytes: [UInt8]) -> [[UInt8]] { bytes.map { [$0] } }

  static let all: [AutobahnCase] = echoes + pings + reserved + fragments + texts + closes

  /// Group 1; longer messages are generated.
  private static let echoes = [0, 125, 126, 127, 128].flatMap { count in
    let content = String(repeating: "*", count: count)
    let bytes = [UInt8](repeating: 0xFE, count: count)
    return [
      well("1.1, \(count) bytes", [text(content)], [.text(content)]),
      well("1.2, \(count) bytes", [frame(2, bytes)], [.binary(Data(bytes))]),
    ]
  }

  /// Group 2.
  private static let pings: [AutobahnCase] = {
    let long = [UInt8](repeating: 0xFE, count: 125)
    let ten = (0..<10).map { Array("payload-\($0)".utf8) }
    let unasked = frame(10, Array("unsolicited".utf8))
    return [
      well("2.1", [frame(9)], pongs: [[]]),
      well("2.2", [frame(9, Array("Hello".utf8))], pongs: [Array("Hello".utf8)]),
      well(
        "2.3", [frame(9, [0, 0xFF, 0xFE, 0xFD, 0, 0xFF])], pongs: [[0, 0xFF, 0xFE, 0xFD, 0, 0xFF]]),
      well("2.4", [frame(9, long)], pongs: [long]), failing("2.5", [frame(9, long + [0xFE])]),
      well("2.6", octets(frame(9, long)), pongs: [long]), well("2.7", [frame(10)]),
      well("2.8", [unasked]),
      well("2.9", [unasked, frame(9, [1])], pongs: [[1]]),
      well("2.10", ten.map { frame(9, $0) }, pongs: ten),
      well("2.11", octets(ten.flatMap { frame(9, $0) }), pongs: ten),
    ]
  }()

  /// Groups 3 and 4.
  private static let reserved: [AutobahnCase] = {
    let hello = text("Hello")
    let bad = { frame(1, Array("Hello".utf8), reserved: $0) }
    let opcodes = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8]
    return [
      failing("3.1", [bad(1)]), failing("3.2", [hello, bad(2), frame(9)], ["Hello"]),
      failing("3.3", [hello, bad(3), frame(9)], ["Hello"]),
      failing("3.4", octets(hello + bad(4) + frame(9)), ["Hello"]),
      failing("3.5", [frame(2, [0, 0xFF], reserved: 5)]), failing("3.6", [frame(9, reserved: 6)]),
      failing("3.7", [frame(8, reserved: 7)]),
    ]
      + opcodes.flatMap { opcode in
        [
          failing("4, opcode \(opcode)", [frame(opcode)]),
          failing("4, opcode \(opcode) with a payload", [frame(opcode, Array("reserved".utf8))]),
          failing(
            "4, opcode \(opcode) after a text", [hello, frame(opcode), frame(9)], ["Hello"]),
        ]
      }
  }()

  /// Group 5.
  private static let fragments: [AutobahnCase] = {
    let first = text("fragment1", final: false)
    let last = more("fragment2")
    let whole = WebSocket.Message.text("fragment1fragment2")
    let ping = frame(9, Array("ping payload".utf8))
    let pong = Array("ping payload".utf8)
    let five = [
      text("fragment1", final: false), more("fragment2", final: false), ping,
      more("fragment3", final: false), more("fragment4", final: false), ping, more("fragment5"),
    ]
    let joined = WebSocket.Message.text((1...5).map { "fragment\($0)" }.joined())
    return [
      failing("5.1", [frame(9, final: false), more("fragment2")]),
      failing("5.2", [frame(10, final: false), more("fragment2")]),
      well("5.3", [first, last], [whole]), well("5.4", [first + last], [whole]),
      well("5.5", octets(first + last), [whole]),
      well("5.6", [first, ping, last], [whole], pongs: [pong]),
      well("5.7", [first + ping + last], [whole], pongs: [pong]),
      well("5.8", octets(first + ping + last), [whole], pongs: [pong]),
      failing("5.9", [more("non-continuation payload"), text("Hello")]),
      failing("5.10", [more("non-continuation payload") + text("Hello")]),
      failing("5.11", octets(more("non-continuation payload") + text("Hello"))),
      failing("5.12", [more("non-continuation payload", final: false), text("Hello")]),
      failing("5.13", [more("non-continuation payload", final: false) + text("Hello")]),
      failing("5.14", octets(more("non-continuation payload", final: false) + text("Hello"))),
      failing("5.15", [first, last, more("fragment3", final: false), more("fragment4")], [whole]),
      failing(
        "5.16",
        [more("fragment1", final: false), text("fragment2", final: false), more("fragment3")]),
      failing("5.17", [more("fragment1"), text("fragment2", final: false), more("fragment3")]),
      failing("5.18", [first, text("fragment2")]),
      well("5.19", five, [joined], pongs: [pong, pong]),
      well("5.20", octets(five.flatMap { $0 }), [joined], pongs: [pong, pong]),
    ]
  }()

  /// Group 6.
  private static let texts: [AutobahnCase] = {
    let greek: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]
    let edited: [UInt8] = [0x65, 0x64, 0x69, 0x74, 0x65, 0x64]
    let broken = greek + [0xED, 0xA0, 0x80] + edited
    let valid: [(String, [UInt8])] = [
      ("6.2", Array("Hello-µ@ßöäüàá-UTF-8!!".utf8)), ("6.5", greek),
      ("6.7", [0x00]), ("6.7", [0xC2, 0x80]), ("6.7", [0xE0, 0xA0, 0x80]),
      ("6.7", [0xF0, 0x90, 0x80, 0x80]), ("6.9", [0x7F]), ("6.9", [0xDF, 0xBF]),
      ("6.9", [0xEF, 0xBF, 0xBF]), ("6.9", [0xF4, 0x8F, 0xBF, 0xBF]), ("6.11", [0xED, 0x9F, 0xBF]),
      ("6.11", [0xEE, 0x80, 0x80]), ("6.11", [0xEF, 0xBF, 0xBD]),
      ("6.23", [0xEF, 0xBF, 0xBD, 0xEF, 0xBF, 0xBD]),
    ]
    // The last two values of each plane, which aren't characters.
    let nonCharacters = (0...16).flatMap { plane in
      [0xFFFE, 0xFFFF].compactMap { Unicode.Scalar(UInt32(plane << 16 | $0)) }
        .map { ("6.22", Array(String(Character($0)).utf8)) }
    }
    let invalid: [(String, [UInt8])] = [
      ("6.3", broken), ("6.6", Array(greek.dropLast())), ("6.6", [0xCE]),
      ("6.8", [0xF8, 0x88, 0x80, 0x80, 0x80]),
      ("6.8", [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]), ("6.10", [0xF7, 0xBF, 0xBF, 0xBF]),
      ("6.10", [0xFB, 0xBF, 0xBF, 0xBF, 0xBF]), ("6.10", [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]),
      ("6.11", [0xF4, 0x90, 0x80, 0x80]), ("6.12", [0x80]), ("6.12", [0xBF]),
      ("6.12", [0x80, 0xBF, 0x80]), ("6.13", [0xC0, 0x20]), ("6.13", [0xE0, 0x20]),
      ("6.13", [0xF0, 0x20]), ("6.13", [0xF8, 0x20]), ("6.13", [0xFC, 0x20]), ("6.14", [0xC3]),
      ("6.14", [0xE0, 0x80]), ("6.14", [0xF0, 0x80, 0x80]), ("6.15", [0xC3, 0xE0, 0xA0]),
      ("6.16", [0xFE]), ("6.16", [0xFF]), ("6.17", [0xC0, 0xAF]), ("6.17", [0xE0, 0x80, 0xAF]),
      ("6.17", [0xF0, 0x80, 0x80, 0xAF]), ("6.18", [0xC1, 0xBF]), ("6.18", [0xE0, 0x9F, 0xBF]),
      ("6.18", [0xF0, 0x8F, 0xBF, 0xBF]), ("6.19", [0xC0, 0x80]), ("6.20", [0xED, 0xA0, 0x80]),
      ("6.20", [0xED, 0xAF, 0xBF]), ("6.20", [0xED, 0xB0, 0x80]), ("6.20", [0xED, 0xBF, 0xBF]),
      ("6.21", [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]),
    ]
    return [
      well("6.1.1", [text("")], [""]),
      well("6.1.2", [text("", final: false), more("", final: false), more("")], [""]),
      well(
        "6.1.3", [text("", final: false), more("middle frame payload", final: false), more("")],
        ["middle frame payload"]),
      // The text is refused with the first octet that can't be a part of it.
      failing(
        "6.4", [frame(1, greek + [0xF4], final: false), frame(0, [0x90], final: false)], code: 1007),
    ]
      + (valid + nonCharacters).flatMap { number, bytes in
        let message = WebSocket.Message.text(String(decoding: bytes, as: UTF8.self))
        let octetFrames = bytes.indices.map { index in
          frame(
            index == 0 ? 1 : 0, [bytes[index]], final: index == bytes.count - 1)
        }
        return [
          well("\(number), \(bytes.count) octets", [frame(1, bytes)], [message]),
          well("\(number), \(bytes.count) octets, a frame each", octetFrames, [message]),
        ]
      }
      + invalid.map { failing("\($0.0), \($0.1)", [frame(1, $0.1)], code: 1007) }
  }()

  /// Group 7.
  private static let closes: [AutobahnCase] = {
    let hello = text("Hello")
    let normal = close(1000)
    let valid = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
    let invalid = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65_535]
    return [
      failing("7.1.1", [hello, normal], ["Hello"], code: 1000),
      failing("7.1.2", [normal, normal], code: 1000),
      failing("7.1.3", [normal, frame(9)], code: 1000),
      failing("7.1.4", [normal, hello], code: 1000),
      failing(
        "7.1.6", [text(String(repeating: "BAsd7&jh23", count: 500)), normal, frame(9)],
        [.text(String(repeating: "BAsd7&jh23", count: 500))], code: 1000),
      failing("7.1.5", [text("fragment1", final: false), normal, more("fragment2")], code: 1000),
      failing("7.3.1", [frame(8)], code: nil), failing("7.3.2", [frame(8, [0x61])]),
      failing("7.3.3", [normal], code: 1000),
      failing("7.3.4", [close(1000, "Hello World!")], code: 1000),
      failing("7.3.5", [close(1000, String(repeating: "*", count: 123))], code: 1000),
      failing("7.3.6", [close(1000, String(repeating: "*", count: 124))]),
      failing("7.5.1", [frame(8, [0x03, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80])], code: 1007),
    ]
      + valid.map { failing("7.7, \($0)", [close(UInt16($0))], code: UInt16($0)) }
      + invalid.map { failing("7.9, \($0)", [close(UInt16($0))]) }
  }()
}
