import ResourceLoading
import ResourceTesting
import ResourceTracing
import Testing

/// The headers of the recommendation, its examples, and the cases of its public suite for malformed
/// headers.
struct TraceContextTests {
  private static let trace = "12345678901234567890123456789012"
  private static let good = "00-\(trace)-1234567890123456-01"

  @Test func `the recommendation's examples are read`() throws {
    let sampled = try #require(
      TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
    let unsampled = try #require(
      TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"))

    #expect(sampled.traceID.description == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(sampled.spanID.description == "00f067aa0ba902b7")
    #expect(sampled.isSampled && !unsampled.isSampled)
    #expect(sampled.traceID.high == 0x4bf9_2f35_77b3_4da6)
    #expect(sampled.traceID.low == 0xa3ce_929d_0e0e_4736)
  }

  @Test(arguments: [
    "cc-\(trace)-1234567890123456-01", "01-\(trace)-1234567890123456-01-what-the-future-brings",
    "fe-\(trace)-1234567890123456-01-", " \(good)", "\t\(good)", "\(good) ", "\t \(good) \t",
    "00-\(trace)-1234567890123456-ff",
  ])
  func `a later version, spaces around it and unknown flags are read`(_ text: String) throws {
    let context = try #require(TraceContext(traceparent: text))

    #expect(context.traceID.description == Self.trace)
    #expect(context.isSampled)
    #expect(context.traceparent.hasPrefix("00-\(Self.trace)-1234567890123456-0"))
  }

  @Test(arguments: [
    "", "00", good + ".", good + "-what-the-future-brings", "cc-\(trace)-1234567890123456-01.what",
    "ff-\(trace)-1234567890123456-01", ".0-\(trace)-1234567890123456-01",
    "0.-\(trace)-1234567890123456-01", "000-\(trace)-1234567890123456-01",
    "0000-\(trace)-1234567890123456-01", "0-\(trace)-1234567890123456-01",
    "00-00000000000000000000000000000000-1234567890123456-01",
    "00-.2345678901234567890123456789012-1234567890123456-01",
    "00-1234567890123456789012345678901.-1234567890123456-01",
    "00-\(trace)3-1234567890123456-01", "00-1234567890123456789012345678901-1234567890123456-01",
    "00-\(trace)-0000000000000000-01", "00-\(trace)-.234567890123456-01",
    "00-\(trace)-123456789012345.-01", "00-\(trace)-12345678901234567-01",
    "00-\(trace)-123456789012345-01", "00-\(trace)-1234567890123456-.0",
    "00-\(trace)-1234567890123456-0.", "00-\(trace)-1234567890123456-001",
    "00-\(trace)-1234567890123456-1", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01", "0A-\(trace)-1234567890123456-01",
    "00_\(trace)_1234567890123456_01", "00-\(trace)-12345678 0123456-01",
  ])
  func `a malformed traceparent gives no context, and its tracestate isn't read`(_ text: String) {
    #expect(TraceContext(traceparent: text) == nil)
    #expect(TraceContext(headers: [.traceparent: text, .tracestate: "a=1"]) == nil)
  }

  @Test func `two traceparent fields, another name or no field give no context`() {
    let other = "00-\(Self.trace)-1234567890123457-01"

    #expect(TraceContext(headers: [.traceparent: Self.good, .traceparent: other]) == nil)
    #expect(TraceContext(headers: ["trace-parent": Self.good]) == nil)
    #expect(TraceContext(headers: ["trace.parent": Self.good]) == nil)
    #expect(TraceContext(headers: [.tracestate: "a=1"]) == nil)
    #expect(TraceContext(headers: ["TraceParent": Self.good]) != nil)
    #expect(TraceContext(headers: ["TRACEPARENT": Self.good]) != nil)
  }

  @Test func `a written header is read back unchanged`() throws {
    var random = SeededGenerator(seed: 25)
    for _ in 0..<1000 {
      let context = TraceContext.root(isSampled: .random(using: &random), using: &random)

      #expect(TraceContext(traceparent: context.traceparent) == context)
      #expect(TraceID(context.traceID.description) == context.traceID)
      #expect(SpanID(context.spanID.description) == context.spanID)
    }
    #expect(TraceID(high: 0, low: 0) == nil && SpanID(rawValue: 0) == nil)
    #expect(TraceID(high: 0, low: 1)?.description == "00000000000000000000000000000001")
  }

  @Test func `identifiers are never zero, whatever the generator returns`() {
    struct Zeros: RandomNumberGenerator { func next() -> UInt64 { 0 } }
    var zeros = Zeros()

    let context = TraceContext.root(using: &zeros)

    #expect(context.isSampled)
    #expect(TraceContext(traceparent: context.traceparent) == context)
  }
}

/// The list that tracing systems store with a trace.
struct TraceStateTests {
  private static let letters = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
  private static let visible = String(
    decoding: (0x20...0x7E).filter { $0 != 0x2C && $0 != 0x3D }, as: UTF8.self)

  private func read(_ fields: String...) -> TraceState {
    var headers: Headers = [.traceparent: "00-12345678901234567890123456789012-1234567890123456-00"]
    for field in fields { headers.append("TraceState", field) }
    return TraceContext(headers: headers)?.state ?? TraceState()
  }

  @Test func `several fields are one list, in order, and empty members are skipped`() {
    let state = read("foo=1,bar=2", "", " rojo=1 \t,\t , congo=2", "baz=3,")

    #expect(state.headerValue == "foo=1,bar=2,rojo=1,congo=2,baz=3")
    #expect(state["rojo"] == "1")
    #expect(read("foo=1", "")["foo"] == "1" && read("", "foo=1")["foo"] == "1")
    #expect(read("").isEmpty && read("").headerValue == nil)
  }

  @Test(arguments: [
    letters, letters + "@a-z0-9_-*/", "0a@b", "0a", String(repeating: "z", count: 256),
    String(repeating: "t", count: 241) + "@" + String(repeating: "v", count: 14),
  ])
  func `keys with every valid character and length are read`(_ key: String) {
    #expect(read("foo=1", "\(key)=\(Self.visible)")[key] == Self.visible)
  }

  @Test(arguments: [
    "foo =1", "FOO=1", "foo.bar=1", "@foo=1,bar=2", "foo", "=1", "foo=", "foo=1=2",
    "foo=ä", "foo=1\u{7F}", "foo=1;bar\tbaz=2", "_foo=1", String(repeating: "z", count: 257) + "=1",
    String(repeating: "t", count: 255) + "@v=1", "foo=" + String(repeating: "v", count: 257),
  ])
  func `one malformed member invalidates the list but not the context`(
    _ field: String
  ) {
    let headers: Headers = [
      .traceparent: "00-12345678901234567890123456789012-1234567890123456-01", .tracestate: "a=1",
      .tracestate: field,
    ]

    #expect(TraceContext(headers: headers)?.isSampled == true)
    #expect(TraceContext(headers: headers)?.state.isEmpty == true)
  }

  @Test(arguments: [
    "foo=1,foo=1", "foo=1,foo=2", "foo@=1,bar=2", "foo@@bar=1,bar=2", "foo@bar@baz=1,bar=2",
    "foo@1bar=1", String(repeating: "t", count: 242) + "@v=1",
    "t@" + String(repeating: "v", count: 15) + "=1",
  ])
  func `repeated keys, and an @ anywhere after the first letter, are passed on`(_ field: String) {
    #expect(read("a=1", field).headerValue == "a=1,\(field)")
    #expect(read("foo=1", "foo=2")["foo"] == "1")
  }

  @Test func `32 members are read, and 33 are dropped`() {
    let members = (1...33).map { "bar\($0)=\($0)" }

    #expect(read(members.prefix(32).joined(separator: ",")).members.count == 32)
    #expect(read(members.joined(separator: ",")).isEmpty)
  }

  @Test func `beyond 512 characters the long members are left out first, then the last ones`() {
    let (long, short) = (String(repeating: "l", count: 130), String(repeating: "s", count: 90))
    let state = read("a=\(short),b=\(long),c=\(short),d=\(short),e=\(long),f=\(short),g=\(short)")

    #expect(state.headerValue == "a=\(short),c=\(short),d=\(short),f=\(short),g=\(short)")
    let middle = "m=" + String(repeating: "m", count: 126)
    let full = [middle, middle, middle, "n=" + String(repeating: "n", count: 123)].joined(
      separator: ",")
    #expect(read(full).headerValue?.count == 512)
    #expect(read(full + "n").headerValue?.count == 386)
    #expect(
      read((1...8).map { "k\($0)=\(short)" }.joined(separator: ",")).headerValue?.count == 469)
  }

  @Test func `a new member comes first and replaces the one with its key`() {
    var state = read("foo=1,bar=2")

    #expect(state.set("bar", to: "3") && !state.set("Bar", to: "3") && !state.set("a", to: "1 "))
    #expect(state.description == "bar=3,foo=1")
    for number in 0..<40 { state.set("k\(number)", to: "v") }
    #expect(state.members.count == TraceState.maximumCount && state["k39"] == "v")
  }
}
