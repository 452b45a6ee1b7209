import ResourcePrimitives

/// What a server spent its time on, as it reports: a metric of a `Server-Timing` header (W3C Server
/// Timing).
public struct ServerTiming: Sendable, Hashable {
  /// The name of the metric, such as `db`.
  public var name: String

  /// How long it took; `nil` if the server gives no duration, or one that isn't a number.
  public var duration: Duration?

  /// What the metric is, for people; `nil` if the server doesn't describe it.
  public var description: String?

  /// Creates a metric.
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
  /// The metrics of all `Server-Timing` headers, in order: at most 64. What can't be read is left
  /// out.
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
      var scanner = FieldScanner(field.value)
      while !scanner.isAtEnd, timings.count < maximumCount {
        let timing = scanner.metric()
        if timing.name.isToken { timings.append(timing) }
      }
    }
    return timings
  }

  fileprivate static func duration(_ text: String) -> Duration? {
    // Others than these are numbers to Swift, too.
    guard text.utf8.allSatisfy({ $0.isASCIIDigit || "+-.eE".utf8.contains($0) }),
      let milliseconds = Double(text), milliseconds.isFinite, abs(milliseconds) < 1e12
    else { return nil }
    return .milliseconds(milliseconds)
  }
}

extension FieldScanner {
  /// Steps over a metric and the comma after it (W3C Server Timing section 4.1), and over what
  /// can't be read in it. The name may be empty.
  fileprivate mutating func metric() -> ServerTiming {
    skipSpace()
    var timing = ServerTiming(text(before: " \t\"(),/:;<=>?@[\\]{}").prefix(scalars: 256))
    var seen: Set<String> = []
    skipText(before: ";,")
    while let (name, value) = parameter() {
      // The first one of a name counts, even if it can't be read.
      if seen.count < 8, seen.insert(name).inserted {
        if name == "dur" { timing.duration = ServerTiming.duration(value) }
        if name == "desc", !value.isEmpty {
          timing.description = value.prefix(scalars: 256).printable
        }
      }
      skipText(before: ";,")
    }
    _ = skip(",")
    return timing
  }
}
