/// What a `LoopbackServer` does on a connection, step by step and to the byte.
///
/// Each step is a script of its own, and an array of scripts is one script:
///
/// ```swift
/// let slow: Script = [.delay(.milliseconds(50)), .json(#"{"id": 1}"#)]
/// let cut: Script = [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"), .close]
/// ```
///
/// When a script is through, the connection stays open for the next request, unless the client
/// asked for it to be closed, or a part of the request is still unread (see
/// `LoopbackRoute.Moment.beforeBody`), or a step closed it. A step that waits ends early, with the whole
/// script, when the client closes the connection or the server stops.
public struct Script: Sendable {
  let steps: [Step]

  init(_ steps: [Step]) {
    self.steps = steps
  }

  /// One script after another.
  public init(_ scripts: some Sequence<Script>) {
    steps = scripts.flatMap(\.steps)
  }
}

extension Script: ExpressibleByArrayLiteral {
  /// One script after another.
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
    case halfClose
    case close
    case reset
  }

  /// So many bytes at a time, with an interval after each.
  struct Pace: Sendable {
    let size: Int
    let interval: Duration
  }
}

extension Script.Step {
  /// Whether the step writes, reads or waits, rather than just ends the connection.
  var takesTime: Bool {
    switch self {
    case .halfClose, .close, .reset: false
    default: true
    }
  }
}

extension Script: CustomStringConvertible {
  /// The steps in few words, for the names of test cases and for failures.
  public var description: String {
    steps.isEmpty ? "nothing" : steps.map(\.description).joined(separator: ", ")
  }
}

extension Script.Step {
  fileprivate var description: String {
    switch self {
    case .write(let bytes): excerpt(bytes)
    case .respond(let response): "\(response.status) \(ReasonPhrase.of(response.status))"
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
    case .halfClose: "half-close"
    case .close: "close"
    case .reset: "reset"
    }
  }

  /// The first bytes as they would be written in source code.
  private func excerpt(_ bytes: [UInt8]) -> String {
    let longest = 60
    let text = String(decoding: bytes.prefix(longest), as: UTF8.self).debugDescription
    return bytes.count <= longest ? text : "\(text.dropLast())…\" (\(bytes.count) bytes)"
  }
}
