import Foundation

/// An event that a server sent over a stream (WHATWG HTML section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// What kind of event it is; `message` where the server names none.
  public var type: String

  /// The data, its lines joined by LF.
  public var data: String

  /// The last identifier that the server sent, with this event or before; empty if there was none.
  public var lastEventID: String

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - type: What kind of event it is.
  ///   - data: The data.
  ///   - lastEventID: The last identifier that the server sent.
  public init(type: String = "message", data: String, lastEventID: String = "") {
    self.type = type
    self.data = data
    self.lastEventID = lastEventID
  }
}

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
  /// How many bytes the lines of the event have so far.
  private var size = 0
  private let limit: Int

  /// - Parameter limit: How many bytes the lines of an event may have.
  init(limit: Int, lastEventID: String = "") {
    self.limit = limit
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// A stream begins anew: what is unfinished is dropped.
  mutating func restart() {
    (type, data, id, isFirstLine, size) = ("", nil, lastEventID, true, 0)
  }

  /// Takes a line without its end.
  ///
  /// - Returns: The event that this line completes.
  /// - Throws: `LoadError` of kind `tooLarge` for an event beyond the limit.
  mutating func take(_ line: Data) throws -> ServerSentEvent? {
    var line = line
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    isFirstLine = false
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    // Comments are no part of an event.
    if colon > line.startIndex { size += line.count }
    guard size <= limit else {
      throw LoadError(
        .tooLarge, "an event of the stream has more than \(limit) bytes",
        advice: "Raise maximumEventSize if that much is expected")
    }
    var value = line[colon...].dropFirst()
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    set(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
    return nil
  }

  /// A line that begins with a colon has an empty name, and is a comment like any unknown field.
  private mutating func set(_ field: String, _ value: String) {
    switch field {
    case "event": type = value
    case "data": append(value)
    case "id" where !value.utf8.contains(0): id = value
    case "retry" where !value.isEmpty && value.utf8.allSatisfy { (48...57).contains($0) }:
      reconnectionTime = Int64(value).map { .milliseconds($0) } ?? reconnectionTime
    default: break
    }
  }

  /// In place: an event of many lines costs no more than its bytes.
  private mutating func append(_ line: String) {
    if data == nil {
      data = line
    } else {
      data?.append("\n")
      data?.append(line)
    }
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer { (type, data, size) = ("", nil, 0) }
    // The identifier counts even if there is no data with it.
    lastEventID = id
    guard let data else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, data: data, lastEventID: lastEventID)
  }
}
