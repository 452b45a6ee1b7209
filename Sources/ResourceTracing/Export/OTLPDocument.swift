import Foundation
import ResourceLoading

/// Writes spans as OpenTelemetry's protocol has them in JSON: names in camel case, identifiers in hexadecimal digits, and
/// numbers of 64 bits as texts.
struct OTLPDocument: Sendable {
  /// What stands before the spans, and behind them.
  private let beginning: [UInt8]
  private static let end = Array("]}]}]}".utf8)

  /// - Parameters:
  ///   - service: The name of the program.
  ///   - resource: What else is said about it.
  init(service: String, resource: [String: String]) {
    var attributes = resource.sorted { $0.key < $1.key }.map {
      TraceSpan.Attribute($0.key, .string($0.value))
    }
    attributes.insert(TraceSpan.Attribute("service.name", .string(service)), at: 0)
    attributes.append("telemetry.sdk.language", .string("swift"))
    attributes.append("telemetry.sdk.name", .string("swift-resource-loading"))
    var text = JSONText()
    text.raw(#"{"resourceSpans":[{"resource":{"attributes":"#)
    text.attributes(attributes)
    text.raw(#"},"scopeSpans":[{"scope":{"name":"ResourceTracing"},"spans":["#)
    beginning = text.bytes
  }

  /// The document of some spans.
  func data(of spans: [TraceSpan]) -> Data {
    var text = JSONText(bytes: beginning)
    text.bytes.reserveCapacity(beginning.count + spans.count * 900)
    for (index, span) in spans.enumerated() {
      if index > 0 { text.raw(",") }
      text.span(span)
    }
    return Data(text.bytes + Self.end)
  }
}

/// JSON as it is written.
private struct JSONText {
  var bytes: [UInt8] = []

  /// Appends what is JSON already.
  mutating func raw(_ text: String) { bytes += text.utf8 }

  mutating func number(_ number: Int64) { bytes += number.description.utf8 }

  /// Appends the hexadecimal digits of an identifier.
  mutating func digits(_ identifier: UInt64) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: identifier >> UInt64(shift) & 0x0F)
      bytes.append(digit < 10 ? digit | 0x30 : digit + 0x57)
    }
  }

  /// Appends a text in quotes.
  mutating func string(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    // Hardly any has something to escape.
    let isWritten = text.utf8.withContiguousStorageIfAvailable { text in
      guard text.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }) else { return false }
      bytes.append(contentsOf: text)
      return true
    }
    guard isWritten != true else { return }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        bytes += "\\u00".utf8
        bytes += (byte < 0x10 ? "0" : "").utf8
        bytes += String(byte, radix: 16).utf8
      default: bytes.append(byte)
      }
    }
  }
}

extension JSONText {
  mutating func span(_ span: TraceSpan) {
    let template = span.facts.urlTemplate
    raw(#"{"traceId":""#)
    digits(span.context.traceID.high)
    digits(span.context.traceID.low)
    raw(#"","spanId":""#)
    digits(span.context.spanID.rawValue)
    raw(#"""#)
    if !span.context.state.isEmpty, let state = span.context.state.headerValue {
      raw(#","traceState":"#)
      string(state)
    }
    if let parent = span.parent {
      raw(#","parentSpanId":""#)
      digits(parent.spanID.rawValue)
      raw(#"""#)
    }
    raw(#","flags":"#)
    number(Int64(span.context.flags.rawValue))
    raw(#","name":"#)
    string(span.name(template))
    raw(#","kind":"#)
    number(span.kind.number)
    raw(#","startTimeUnixNano":""#)
    number(span.start.nanoseconds)
    raw(#"","endTimeUnixNano":""#)
    number((span.end ?? span.start).nanoseconds)
    raw(#"","attributes":"#)
    attributes(span.attributes(template))
    if !span.links.isEmpty { links(span.links) }
    status(span.status)
    raw("}")
  }

  mutating func attributes(_ attributes: [TraceSpan.Attribute]) {
    raw("[")
    for (index, attribute) in attributes.enumerated() {
      raw(index > 0 ? #",{"key":"# : #"{"key":"#)
      string(attribute.name)
      switch attribute.value {
      case .string(let text):
        raw(#","value":{"stringValue":"#)
        string(text)
        raw("}}")
      case .integer(let value):
        raw(#","value":{"intValue":""#)
        number(Int64(value))
        raw(#""}}"#)
      }
    }
    raw("]")
  }

  private mutating func links(_ links: [TraceContext]) {
    raw(#","links":["#)
    for (index, link) in links.enumerated() {
      raw(index > 0 ? #",{"traceId":"# : #"{"traceId":"#)
      string(link.traceID.description)
      raw(#","spanId":"#)
      string(link.spanID.description)
      raw("}")
    }
    raw("]")
  }

  private mutating func status(_ status: TraceSpan.Status) {
    guard case .error(_, let message) = status else { return }
    raw(#","status":{"code":2"#)
    if let message {
      raw(#","message":"#)
      string(message)
    }
    raw("}")
  }
}

extension TraceSpan.Kind {
  /// The number in the protocol.
  fileprivate var number: Int64 {
    switch self {
    case .load: 1
    case .exchange: 3
    }
  }
}

extension Date {
  /// Since 1970, within the years to 2262, which 64 bits have room for.
  fileprivate var nanoseconds: Int64 { Int64(min(max(0, timeIntervalSince1970 * 1e9), 9.2e18)) }
}
