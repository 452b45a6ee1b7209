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
/// `Route.Moment.beforeBody`), or a step closed it. A step that waits ends early, with the whole
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
