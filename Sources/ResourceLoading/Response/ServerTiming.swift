/// What a server says that it spent its time on: a metric of a `Server-Timing` header (W3C Server Timing).
public struct ServerTiming: Sendable, Hashable {
  /// The name of the metric, such as `db`.
  public var name: String

  /// How long it took; `nil` if the server gives no duration, or one that is no number.
  public var duration: Duration?

  /// What the metric is, for people; `nil` if the server doesn't describe it.
  public var description: String?

  /// Makes a metric.
  ///
  /// - Parameters:
  ///   - name: The name, a token.
  ///   - duration: How long it took.
  ///   - description: What it is.
  public init(_ name: String, duration: Duration? = nil, description: String? = nil) {
    self.name = name
    self.duration = duration
    self.description = description
  }
}

extension Response {
  /// The metrics of all `Server-Timing` headers, in order: at most 64. What can't be read is left out.
  public var serverTimings: [ServerTiming] { ServerTiming.all(in: headers) }
}

extension ServerTiming {
  /// The text of a log, `db 0.053 seconds`.
  var text: String { name + (duration.map { " \($0)" } ?? "") }

  /// The most metrics that are read.
  private static let maximumCount = 64

  /// The metrics of all `Server-Timing` headers, in order.
  static func all(in headers: Headers) -> [ServerTiming] {
    var timings: [ServerTiming] = []
    for field in headers where field.name == .serverTiming {
      var scanner = ServerTimingScanner(field.value)
      while timings.count < maximumCount, let timing = scanner.metric() { timings.append(timing) }
    }
    return timings
  }
}

/// Parses the value of a `Server-Timing` header, as W3C Server Timing section 4.1 says, which skips what it can't read.
private struct ServerTimingScanner {
  private var rest: Substring.UTF8View

  init(_ value: String) { rest = Substring(value).utf8 }

  /// Reads the next metric that has a name.
  mutating func metric() -> ServerTiming? {
    while !rest.isEmpty {
      let name = token()
      var timing = ServerTiming(name)
      var seen: Set<String> = []
      while let (parameter, value) = parameter() {
        // The first one of a name counts, also if it can't be read.
        guard seen.count < 8, seen.insert(parameter).inserted else { continue }
        if parameter == "dur" { timing.duration = value.flatMap(Self.duration) }
        if parameter == "desc" { timing.description = value.map(\.printable) }
      }
      skip { $0 != UInt8(ascii: ",") }
      rest = rest.dropFirst()
      if !name.isEmpty { return timing }
    }
    return nil
  }

  /// Reads a parameter with its name in lower case.
  private mutating func parameter() -> (name: String, value: String?)? {
    skip { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
    guard take(UInt8(ascii: ";")) else { return nil }
    let name = token().lowercased()
    skipSpace()
    guard take(UInt8(ascii: "=")) else { return (name, nil) }
    skipSpace()
    return (name, rest.first == UInt8(ascii: "\"") ? quoted() : token())
  }

  /// A number of milliseconds.
  private static func duration(_ text: String) -> Duration? {
    // Others than these are numbers to Swift, too.
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
      let milliseconds = Double(text), milliseconds.isFinite, abs(milliseconds) < 1e12
    else { return nil }
    return .milliseconds(milliseconds)
  }
}

extension ServerTimingScanner {
  private mutating func token() -> String {
    skipSpace()
    let text = rest.prefix { byte in
      (0x21...0x7E).contains(byte) && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }
    rest = rest[text.endIndex...]
    return String(decoding: text.prefix(256), as: UTF8.self)
  }

  /// Reads a quoted text, which may lack its end.
  private mutating func quoted() -> String {
    var text: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      let isEscape = byte == UInt8(ascii: "\\")
      guard let byte = isEscape ? rest.popFirst() : byte else { break }
      if text.count < 256 { text.append(byte) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }
}
