import Foundation

/// Puts events together from the lines of a stream (WHATWG HTML section 9.2.6).
struct ServerSentEventParser: Sendable {
  /// What `Last-Event-ID` is to say when the stream is opened again.
  private(set) var lastEventID: String
  /// How long to wait before that, if the server has said it.
  private(set) var reconnectionTime: Duration?

  private var type = ""
  private var data: String?
  private var id: String
  private var isFirstLine = true

  init(lastEventID: String = "") {
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// A stream begins anew: what is unfinished is dropped.
  mutating func restart() { (type, data, id, isFirstLine) = ("", nil, lastEventID, true) }

  /// Takes a line without its end.
  ///
  /// - Returns: The event that this line completes.
  mutating func take(_ line: Data) -> ServerSentEvent? {
    var line = line
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    isFirstLine = false
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    set(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    return nil
  }

  /// A line that begins with a colon has an empty name, and is a comment like any unknown field.
  private mutating func set(_ field: String, _ value: String) {
    switch field {
    case "event": type = value
    case "data": data = data.map { $0 + "\n" + value } ?? value
    case "id" where !value.utf8.contains(0): id = value
    case "retry" where !value.isEmpty && value.utf8.allSatisfy { (48...57).contains($0) }:
      reconnectionTime = Int64(value).map { .milliseconds($0) } ?? reconnectionTime
    default: break
    }
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer { (type, data) = ("", nil) }
    // The identifier counts even if there is no data with it.
    lastEventID = id
    guard let data else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, data: data, lastEventID: lastEventID)
  }
}
