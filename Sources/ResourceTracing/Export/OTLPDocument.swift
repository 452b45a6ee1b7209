import Foundation
import ResourceJSON
import ResourceLoading

/// Writes spans in the JSON form of OpenTelemetry's protocol: names in camel case, identifiers in
/// hexadecimal digits, and 64-bit numbers as strings.
struct OTLPDocument: Sendable {
  /// The text before the spans, and behind them.
  private let beginning: JSONBytes
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
    var text = JSONBytes()
    text.append(#"{"resourceSpans":[{"resource":{"attributes":["#)
    for (index, member) in members.enumerated() {
      text.append(index > 0 ? #",{"key":"# : #"{"key":"#)
      text.escaped(member.0)
      text.append(#","value":{"stringValue":"#)
      text.escaped(member.1)
      text.append("}}")
    }
    text.append(#"]},"scopeSpans":[{"scope":{"name":"ResourceTracing"},"spans":["#)
    beginning = text
  }

  func data(of spans: [TraceSpan]) -> Data {
    var text = beginning
    // By position, since a loop over elements copies each of them.
    for index in spans.indices {
      if index > 0 { text.append(",") }
      text.span(spans[index])
    }
    text.append(Self.end)
    return text.data
  }
}

// Constants include what comes between values, so that there are few pieces.
extension JSONBytes {
  fileprivate mutating func escaped(_ text: String) {
    append(quoted: text, escapingSlashes: false)
  }

  /// Appends the hexadecimal digits of an identifier.
  private mutating func digits(_ identifier: UInt64) {
    var digits = [UInt8](repeating: 0, count: 16)
    identifier.writeHexadecimal(to: &digits, at: 0)
    append(digits)
  }

  fileprivate mutating func span(_ span: TraceSpan) {
    let texts = span.facts.texts
    append(#"{"traceId":""#)
    position(span.context)
    if !span.context.state.isEmpty, let state = span.context.state.headerValue {
      append(#","traceState":"#)
      escaped(state)
    }
    if let parent = span.parent {
      append(#","parentSpanId":""#)
      digits(parent.spanID.rawValue)
      append("\"")
    }
    append(#","flags":"#)
    append(Int64(span.context.flags.rawValue))
    append(#","name":"#)
    escaped(span.name(texts))
    append(span.kind.member)
    append(span.start.nanoseconds)
    append(#"","endTimeUnixNano":""#)
    append((span.end ?? span.start).nanoseconds)
    append(#"","attributes":["#)
    attributes(span, texts)
    if !span.links.isEmpty { links(span.links) }
    status(span.status)
    append("}")
  }

  /// Appends the identifiers of a trace and a span, without the quote before them.
  private mutating func position(_ context: TraceContext) {
    digits(context.traceID.high)
    digits(context.traceID.low)
    append(#"","spanId":""#)
    digits(context.spanID.rawValue)
    append("\"")
  }

  /// Appends the attributes of a span and the end of their list. There is at least one, and their
  /// names need no escapes.
  private mutating func attributes(_ span: TraceSpan, _ texts: HTTPFacts.Texts) {
    var isFirst = true
    span.forEachAttribute(texts) { name, value in
      append(isFirst ? #"{"key":""# : #"}},{"key":""#)
      isFirst = false
      append(name)
      switch value {
      case .string(let text):
        append(#"","value":{"stringValue":"#)
        escaped(text)
      case .integer(let value):
        append(#"","value":{"intValue":""#)
        append(Int64(value))
        append("\"")
      }
    }
    append("}}]")
  }

  private mutating func links(_ links: [TraceContext]) {
    for (index, link) in links.enumerated() {
      append(index > 0 ? #"},{"traceId":""# : #","links":[{"traceId":""#)
      position(link)
    }
    append("}]")
  }

  private mutating func status(_ status: TraceSpan.Status) {
    guard case .error(_, let message) = status else { return }
    append(#","status":{"code":2"#)
    if let message {
      append(#","message":"#)
      escaped(message)
    }
    append("}")
  }
}

extension TraceSpan.Kind {
  /// The text between the name and the start time, with the protocol's number for the kind.
  fileprivate var member: StaticString {
    switch self {
    case .load: #","kind":1,"startTimeUnixNano":""#
    case .exchange: #","kind":3,"startTimeUnixNano":""#
    }
  }
}

extension Date {
  /// The nanoseconds since 1970. They are limited to the year 2262, after which they don't fit into
  /// 64 bits.
  fileprivate var nanoseconds: Int64 { Int64(min(max(0, timeIntervalSince1970 * 1e9), 9.2e18)) }
}
