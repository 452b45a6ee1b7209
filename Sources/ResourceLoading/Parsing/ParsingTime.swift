/// What is known of the time that a parser takes: whether going to a thread of its own is worth it.
package enum ParsingTime: Sendable {
  /// As long as whoever wrote it likes.
  case unknown
  /// It grows with the body, and is well below a millisecond for 32 KiB.
  case proportional
  /// Next to nothing, whatever the body.
  case none
}

extension ParsingTime {
  /// What is known where something unknown is done with the value of a short parser: a small body makes a small value.
  var transformed: ParsingTime { self == .unknown ? .unknown : .proportional }

  /// Whether a body is parsed sooner than a thread would be changed, or nearly so, on the thread that has it.
  func isShort(for response: Response) -> Bool {
    switch self {
    case .unknown: false
    case .proportional: response.body.count <= 32 << 10
    case .none: true
    }
  }
}
