import ResourceXML
import TestSupport
import Testing

/// The result is the same however a document is divided.
@Suite(.inTurn)
struct IncrementalTests {
  /// The result for a document in pieces that end at `cuts`.
  struct Answer: Equatable, CustomStringConvertible {
    var events: [XMLEvent] = []
    var kind: XMLError.Kind?
    var message = ""
    var place: [Int] = []

    var description: String { "\(events) \(kind?.rawValue ?? "-") \(message) \(place)" }

    init(
      _ bytes: [UInt8], pieces: (Int) -> Int, encoding: String? = nil,
      options: XMLOptions = XMLOptions()
    ) {
      var parser = XMLEventParser(encoding: encoding, options: options)
      var events: [XMLEvent] = []
      var i = 0
      do {
        while i < bytes.count {
          let end = min(bytes.count, i + max(1, pieces(i)))
          try parser.parse(bytes[i..<end]) { events.append($0) }
          i = end
        }
        try parser.finish { events.append($0) }
      } catch let error as XMLError {
        (kind, message, place) = (error.kind, error.message, [error.line, error.column])
      } catch {
        message = "\(error)"
      }
      self.events = events
    }
  }

  @Test(arguments: SampleDocuments.all)
  func `the events are the same in one piece, byte by byte and in random pieces`(_ document: String)
  {
    let bytes = Array(document.utf8)
    var random = SmallGenerator(seed: 7)

    let whole = Answer(bytes) { _ in bytes.count }

    #expect(whole.kind == nil, "\(whole.message) \(whole.place)")
    #expect(Answer(bytes) { _ in 1 } == whole)
    for _ in 0..<200 {
      #expect(Answer(bytes) { _ in Int.random(in: 1...40, using: &random) } == whole)
    }
    for cut in 1..<bytes.count {
      #expect(Answer(bytes) { $0 == 0 ? cut : bytes.count } == whole, "cut at \(cut)")
    }
  }

  @Test(arguments: SampleDocuments.all)
  func `a truncated document is refused, in one piece and byte by byte`(_ document: String) {
    let bytes = Array(document.utf8)
    let complete = bytes.count - "\n<!-- end -->".utf8.count

    for end in 0..<complete where end < bytes.lastIndex(of: 0x3E) ?? 0 {
      let part = Array(bytes[..<end])
      let whole = Answer(part) { _ in part.count }
      #expect(whole.kind != nil || end >= complete - 2, "\(end)")
      #expect(Answer(part) { _ in 1 } == whole, "\(end)")
    }
  }

  @Test(
    arguments: SampleDocuments.all, [UInt8](arrayLiteral: 0x00, 0x3C, 0x26, 0x22, 0x5D, 0x80, 0x0D))
  func `a changed byte has the same result in one piece and byte by byte`(
    _ document: String, _ byte: UInt8
  ) {
    let bytes = Array(document.utf8)

    for i in stride(from: Int(byte) % 3, to: bytes.count, by: 3) {
      var changed = bytes
      changed[i] = byte
      let whole = Answer(changed) { _ in changed.count }
      let bits = Answer(changed) { _ in 1 }
      #expect(
        bits.kind == whole.kind && bits.place == whole.place && bits.message == whole.message,
        "\(i)")
      #expect(whole.kind != nil || bits.events == whole.events, "\(i)")
    }
  }

  @Test func `a long run of text is divided in the same places however it arrives`() {
    let text = String(repeating: "äbc&amp;東\r\n", count: 20_000)
    let bytes = Array("<a>\(text)</a>".utf8)

    let whole = Answer(bytes) { _ in bytes.count }

    #expect(whole.events.count > 4)
    #expect(Answer(bytes) { _ in 777 } == whole)
  }

  @Test func `a long token that arrives byte by byte takes linear time`() {
    // Quadratic work would take 10^11 steps here.
    for (open, close) in [
      ("<a><!--", "--></a>"), ("<a b='", "'/>"), ("<a><?p ", "?></a>"),
      ("<!DOCTYPE a [<!ENTITY e '", "'>]><a/>"), ("<a><![CDATA[", "]]></a>"),
    ] {
      let bytes = Array((open + String(repeating: "x>", count: 50_000) + close).utf8)

      #expect(Answer(bytes, pieces: { _ in 1 }).kind == nil, "\(open)")
    }
  }

  @Test func `every call after an error throws it again`() throws {
    var parser = XMLEventParser()

    let first = #expect(throws: XMLError.self) { try parser.parse("<a></b>".utf8) { _ in } }
    let second = #expect(throws: XMLError.self) { try parser.parse("<a/>".utf8) { _ in } }
    let third = #expect(throws: XMLError.self) { try parser.finish { _ in } }

    #expect(first == second)
    #expect(first == third)
  }

  @Test func `errors of the handler are thrown`() {
    struct Stop: Error {}

    #expect(throws: Stop.self) {
      try XMLEventParser.parse("<a><b/></a>".utf8) { if case .endElement = $0 { throw Stop() } }
    }
  }
}

/// A generator whose numbers repeat (SplitMix64).
struct SmallGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
