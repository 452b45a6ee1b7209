import Foundation
import ResourceLoading

/// Writes spans in the JSON form of OpenTelemetry's protocol: names in camel case, identifiers in
/// hexadecimal digits, and 64-bit numbers as strings.
struct OTLPDocument: Sendable {
  /// The text before the spans, and the text after them.
  private let beginning: [UInt8]
  private static let end: StaticString = "]}]}]}"

  /// `service` is the name of the program, and `resource` has additional attributes of it.
  init(service: String, resource: [String: String]) {
    let own = [
      "telemetry.sdk.language": "swift", "telemetry.sdk.name": "swift-resource-loading",
    ]
    // A key must not occur twice (OpenTelemetry's specification, Attribute Collections).
    var others = resource.merging(own) { $1 }
    others["service.name"] = nil
    let members =
      [("service.name", service)] + others.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    var text = JSONText()
    text.raw(#"{"resourceSpans":[{"resource":{"attributes":["#)
    for (index, member) in members.enumerated() {
      text.raw(index > 0 ? #",{"key":""# : #"{"key":""#)
      text.escaped(member.0)
      text.raw(#"","value":{"stringValue":""#)
      text.escaped(member.1)
      text.raw(#""}}"#)
    }
    text.raw(#"]},"scopeSpans":[{"scope":{"name":"ResourceTracing"},"spans":["#)
    beginning = text.bytes
  }

  func data(of spans: [TraceSpan]) -> Data {
    var text = JSONText(bytes: beginning)
    text.bytes.reserveCapacity(beginning.count + spans.count * 900)
    // By index, because a loop over the elements copies each of them.
    for index in spans.indices {
      if index > 0 { text.raw(",") }
      text.span(spans[index])
    }
    text.raw(Self.end)
    return Data(text.bytes)
  }
}

/// The text of a document. Constants include the quotes around values, which keeps the number of
/// pieces low.
private struct JSONText {
  var bytes: [UInt8] = []

  mutating func raw(_ text: StaticString) {
    // The buffer belongs to a constant.
    text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func number(_ number: Int64) {
    if number < 0 { raw("-") }
    let start = bytes.count
    var rest = number.magnitude
    // Appends the last digit first, which avoids a string.
    repeat {
      bytes.append(UInt8(truncatingIfNeeded: rest % 10) | 0x30)
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  mutating func digits(_ identifier: UInt64) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: 16))
    identifier.writeHexadecimal(to: &bytes, at: start)
  }

  /// Appends a text without quotes.
  mutating func escaped(_ text: String) {
    // Few texts need an escape.
    guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else {
      return bytes.append(contentsOf: text.utf8)
    }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        raw(byte < 0x10 ? "\\u000" : "\\u00")
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
  }
}

extension JSONText {
  mutating func span(_ span: TraceSpan) {
    let texts = span.facts.texts
    raw(#"{"traceId":""#)
    position(span.context)
    if !span.context.state.isEmpty, let state = span.context.state.headerValue {
      raw(#"","traceState":""#)
      escaped(state)
    }
    if let parent = span.parent {
      raw(#"","parentSpanId":""#)
      digits(parent.spanID.rawValue)
    }
    raw(#"","flags":"#)
    number(Int64(span.context.flags.rawValue))
    raw(#","name":""#)
    escaped(span.name(texts))
    raw(span.kind.member)
    number(span.start.nanoseconds)
    raw(#"","endTimeUnixNano":""#)
    number((span.end ?? span.start).nanoseconds)
    raw(#"","attributes":["#)
    attributes(span, texts)
    if !span.links.isEmpty { links(span.links) }
    status(span.status)
    raw("}")
  }

  /// Appends the identifiers of a trace and a span without the surrounding quotes.
  private mutating func position(_ context: TraceContext) {
    digits(context.traceID.high)
    digits(context.traceID.low)
    raw(#"","spanId":""#)
    digits(context.spanID.rawValue)
  }

  /// Appends the attributes of a span and the end of their list. There is at least one, and their
  /// names need no escapes.
  private mutating func attributes(_ span: TraceSpan, _ texts: HTTPFacts.Texts) {
    var isFirst = true
    span.forEachAttribute(texts) { name, value in
      raw(isFirst ? #"{"key":""# : #""}},{"key":""#)
      isFirst = false
      raw(name)
      switch value {
      case .string(let text):
        raw(#"","value":{"stringValue":""#)
        escaped(text)
      case .integer(let value):
        raw(#"","value":{"intValue":""#)
        number(Int64(value))
      }
    }
    raw(#""}}]"#)
  }

  private mutating func links(_ links: [TraceContext]) {
    for (index, link) in links.enumerated() {
      raw(index > 0 ? #""},{"traceId":""# : #","links":[{"traceId":""#)
      position(link)
    }
    raw(#""}]"#)
  }

  private mutating func status(_ status: TraceSpan.Status) {
    guard case .error(_, let message) = status else { return }
    raw(#","status":{"code":2"#)
    if let message {
      raw(#","message":""#)
      escaped(message)
      raw("\"")
    }
    raw("}")
  }
}

extension TraceSpan.Kind {
  /// The text between the name and the start time, with the protocol's number for the kind.
  fileprivate var member: StaticString {
    switch self {
    case .load: #"","kind":1,"startTimeUnixNano":""#
    case .exchange: #"","kind":3,"startTimeUnixNano":""#
    }
  }
}

extension Date {
  /// The nanoseconds since 1970. They are limited to the year 2262, after which they don't fit into
  /// 64 bits.
  fileprivate var nanoseconds: Int64 { Int64(min(max(0, timeIntervalSince1970 * 1e9), 9.2e18)) }
}
