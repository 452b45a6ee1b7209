/// The exact steps of a `LoopbackServer` on a connection.
///
/// Each step is a script, and an array of scripts is a script:
///
/// ```swift
/// let slow: Script = [.delay(.milliseconds(50)), .json(#"{"id": 1}"#)]
/// let cut: Script = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"), .close]
/// ```
///
/// After a script the connection stays open for the next request, unless the client asked to close
/// it, a part of the request is still unread (see `LoopbackRoute.Timing.beforeBody`), or a step
/// closed it. When the client closes the connection or the server stops, a waiting step ends the
/// script.
public struct Script: Sendable {
  let steps: [Step]

  init(_ steps: [Step]) {
    self.steps = steps
  }

  /// Runs one script after another.
  public init(_ scripts: some Sequence<Script>) {
    steps = scripts.flatMap(\.steps)
  }
}

extension Script: ExpressibleByArrayLiteral {
  /// Runs one script after another.
  public init(arrayLiteral scripts: Script...) {
    self.init(scripts)
  }
}

extension Script {
  enum Step: Sendable {
    case write([UInt8])
    case respond(ScriptedResponse)
    case pause(Duration)
    case wait(Gate)
    case drip([UInt8], size: Int, interval: Duration)
    case repeatedly([UInt8], count: Int?)
    case silence
    case readBody(limit: Int, pace: Pace?)
    case proceed(@Sendable (ReceivedRequest) throws -> Script)
    case converse(compresses: Bool, @Sendable (inout LoopbackSocket) throws -> Void)
    case halfClose
    case close
    case reset
  }

  /// The bytes to read at a time, and the interval after each.
  struct Pace: Sendable {
    let size: Int
    let interval: Duration
  }
}

extension Script.Step {
  /// Whether the step writes, reads or waits, rather than only ending the connection.
  var takesTime: Bool {
    switch self {
    case .halfClose, .close, .reset: false
    default: true
    }
  }
}

extension Script: CustomStringConvertible {
  /// A short description of the steps, for the names of test cases and for failures.
  public var description: String {
    steps.isEmpty ? "nothing" : steps.map(\.description).joined(separator: ", ")
  }
}

extension Script.Step {
  fileprivate var description: String {
    switch self {
    case .write(let bytes): excerpt(bytes)
    case .respond(let response): "\(response.status) \(response.reason)"
    case .pause(let duration): "delay \(duration)"
    case .wait: "wait at a gate"
    case .drip(let bytes, let size, let interval):
      "drip \(excerpt(bytes)) by \(size) every \(interval)"
    case .repeatedly(let bytes, let count?): "\(count) times \(excerpt(bytes))"
    case .repeatedly(let bytes, nil): "forever \(excerpt(bytes))"
    case .silence: "silence"
    case .readBody(_, let pace?): "read the body by \(pace.size) every \(pace.interval)"
    case .readBody(.max, nil): "read the body"
    case .readBody(let limit, nil): "read \(limit) bytes of the body"
    case .proceed: "proceed"
    case .converse: "speak WebSocket"
    case .halfClose: "half-close"
    case .close: "close"
    case .reset: "reset"
    }
  }

  /// Returns the first bytes as they would be written in source code.
  private func excerpt(_ bytes: [UInt8]) -> String {
    let longest = 60
    let text = String(decoding: bytes.prefix(longest), as: UTF8.self).debugDescription
    return bytes.count <= longest ? text : "\(text.dropLast())…\" (\(bytes.count) bytes)"
  }
}

extension Script {
  /// Writes exactly these bytes.
  public static func bytes(_ bytes: some Sequence<UInt8>) -> Script {
    Script([.write(Array(bytes))])
  }

  /// Writes exactly the UTF-8 of `text`. HTTP's line ends are `\r\n`.
  public static func bytes(_ text: String) -> Script {
    bytes(text.utf8)
  }

  /// Writes `bytes`, `size` at a time (at least 1), and waits `interval` in between.
  public static func drip(
    _ bytes: some Sequence<UInt8>, size: Int = 1, every interval: Duration
  ) -> Script {
    Script([.drip(Array(bytes), size: max(size, 1), interval: interval)])
  }

  /// Writes the UTF-8 of `text`, `size` bytes at a time (at least 1), and waits `interval` in
  /// between.
  public static func drip(_ text: String, size: Int = 1, every interval: Duration) -> Script {
    drip(text.utf8, size: size, every: interval)
  }

  /// Writes `bytes` `count` times, for large bodies that take no memory.
  public static func repeating(_ bytes: some Sequence<UInt8>, count: Int) -> Script {
    Script([.repeatedly(Array(bytes), count: count)])
  }

  /// Writes the UTF-8 of `text` `count` times, for large bodies that take no memory.
  public static func repeating(_ text: String, count: Int) -> Script {
    repeating(text.utf8, count: count)
  }

  /// Writes `bytes` again and again, until the client closes the connection or the server stops.
  public static func repeatForever(_ bytes: some Sequence<UInt8>) -> Script {
    Script([.repeatedly(Array(bytes), count: nil)])
  }

  /// Writes the UTF-8 of `text` again and again, until the client closes the connection or the
  /// server stops.
  public static func repeatForever(_ text: String) -> Script {
    repeatForever(text.utf8)
  }
}

extension Script {
  /// Does nothing for a while.
  public static func delay(_ duration: Duration) -> Script {
    Script([.pause(duration)])
  }

  /// Does nothing until the test opens `gate`.
  public static func wait(_ gate: Gate) -> Script {
    Script([.wait(gate)])
  }

  /// Does nothing until the client closes the connection or the server stops.
  public static var silence: Script {
    Script([.silence])
  }

  /// Closes the connection. If bytes of the client are unread, the system sends a reset.
  public static var close: Script {
    Script([.close])
  }

  /// Ends only the server's sending side: the client reads the end and may continue to send. After
  /// the script, whatever the client sends is read and dropped until it closes the connection.
  public static var halfClose: Script {
    Script([.halfClose])
  }

  /// Closes the connection with a TCP reset (`SO_LINGER` of zero). The client may lose bytes that
  /// it hasn't read.
  public static var reset: Script {
    Script([.reset])
  }
}

extension Script {
  /// Reads the rest of the request's body into the log, in a route that answers `.beforeBody`.
  public static var readBody: Script {
    Script([.readBody(limit: .max, pace: nil)])
  }

  /// Reads up to `limit` further bytes of the request's body and leaves the rest unread, so the
  /// client can't send more once the buffers are full.
  public static func readBody(upTo limit: Int) -> Script {
    Script([.readBody(limit: limit, pace: nil)])
  }

  /// Reads the rest of the request's body slowly: `size` bytes at a time, with a pause of
  /// `interval` after each.
  public static func readBody(size: Int, every interval: Duration) -> Script {
    Script([.readBody(limit: .max, pace: Pace(size: max(size, 1), interval: interval))])
  }

  /// Continues with the script that `handler` returns for the part of the request that has been
  /// read.
  ///
  /// ```swift
  /// LoopbackRoute("POST /careful", answers: .beforeBody) { _ in
  ///   [.informational(100), .readBody, .proceed { .response(body: "\($0.bodyLength)") }]
  /// }
  /// ```
  public static func proceed(
    _ handler: @escaping @Sendable (ReceivedRequest) throws -> Script
  ) -> Script {
    Script([.proceed(handler)])
  }
}
