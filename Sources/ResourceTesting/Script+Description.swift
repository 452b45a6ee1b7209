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
