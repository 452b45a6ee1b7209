public import ResourceLoading
import ResourcePrimitives

extension Headers.Name {
  /// `traceparent`: the trace and the span of a request.
  public static let traceparent: Headers.Name = "traceparent"
  /// `tracestate`: the data that tracing systems store with the trace.
  public static let tracestate: Headers.Name = "tracestate"
  /// `baggage`: the names and values that a program sends with a trace.
  public static let baggage: Headers.Name = "baggage"
}

extension TraceContext {
  /// Reads the context of a received request.
  ///
  /// An invalid `tracestate` is ignored. Without a valid `traceparent` there is no context (W3C
  /// Trace Context section 3.3).
  ///
  /// - Parameter headers: The headers of the request. Several `tracestate` fields are one list;
  ///   several `traceparent` fields aren't valid.
  public init?(headers: Headers) {
    guard let parent = headers[.traceparent] else { return nil }
    self.init(traceparent: parent)
    if let state = headers[.tracestate] { self.state = TraceState(state) ?? TraceState() }
  }

  /// Reads a `traceparent` (W3C Trace Context section 3.2).
  ///
  /// - Parameter traceparent: The value of the header. If it has a later version, only the part
  ///   that version 00 defines is read.
  public init?(traceparent: String) {
    let bytes = Array(traceparent.trimmingSpaces().utf8)
    let dash = UInt8(ascii: "-")
    guard bytes.count >= Self.length, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
      let version = UInt64(hexadecimal: bytes[..<2]), version != 0xFF,
      let high = UInt64(hexadecimal: bytes[3..<19]),
      let low = UInt64(hexadecimal: bytes[19..<35]),
      let span = UInt64(hexadecimal: bytes[36..<52]),
      let flags = UInt64(hexadecimal: bytes[53..<55]),
      let traceID = TraceID(high: high, low: low), let spanID = SpanID(rawValue: span)
    else { return nil }
    // A later version may have further parts after a dash.
    guard bytes.count == Self.length || version > 0 && bytes[Self.length] == dash else {
      return nil
    }
    self.init(
      traceID: traceID, spanID: spanID, flags: Flags(rawValue: UInt8(truncatingIfNeeded: flags)))
  }

  /// The value of `traceparent`, in version 00.
  public var traceparent: String {
    // The zeros remain for the version. Dashes separate the parts.
    let dash = UInt8(ascii: "-")
    var text = [UInt8](repeating: 0x30, count: Self.length)
    for place in [2, 35, 52] { text[place] = dash }
    traceID.high.writeHexadecimal(to: &text, at: 3)
    traceID.low.writeHexadecimal(to: &text, at: 19)
    spanID.rawValue.writeHexadecimal(to: &text, at: 36)
    text[54] = flags.intersection([.sampled, .random]).rawValue | 0x30
    return String(decoding: text, as: UTF8.self)
  }

  /// The length of `traceparent` in version 00.
  private static let length = 55

  /// Sets the two headers, and removes another context's `tracestate`.
  func write(to headers: inout Headers) {
    headers[.traceparent] = traceparent
    // Setting a header searches all of them, and this one is rare.
    if !state.isEmpty || headers[.tracestate] != nil {
      headers[.tracestate] = state.headerValue
    }
  }
}
