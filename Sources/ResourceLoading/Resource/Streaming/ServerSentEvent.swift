import Foundation
import ResourcePrimitives

/// A server-sent event (WHATWG HTML section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The kind of event; `message` if the server names none.
  public var type: String

  /// The data, its lines joined by LF.
  public var data: String

  /// The last identifier that the server sent, with this event or an earlier one; empty if it sent
  /// none.
  public var lastEventID: String

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - type: The kind of event.
  ///   - data: The data.
  ///   - lastEventID: The last identifier that the server sent.
  public init(type: String = "message", data: String, lastEventID: String = "") {
    self.type = type
    self.data = data
    self.lastEventID = lastEventID
  }
}

/// Parses events from the lines of a stream (WHATWG HTML section 9.2.6).
struct ServerSentEventParser: Sendable {
  private(set) var lastEventID: String
  /// The delay before opening it again; `nil` if the server has sent none.
  private(set) var reconnectionTime: Duration?

  private var type = ""
  private var data: String?
  private var id: String
  private var size = 0
  private let limit: Int

  init(limit: Int, lastEventID: String = "") {
    self.limit = limit
    self.lastEventID = lastEventID
    id = lastEventID
  }

  /// Begins a new stream and drops an unfinished event.
  mutating func restart() {
    (type, data, id, size) = ("", nil, lastEventID, 0)
  }

  /// Parses a line without its terminator and without the byte order mark of its stream; returns
  /// the event that the line completes.
  mutating func take(_ line: Data) throws -> ServerSentEvent? {
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    // Comments aren't part of an event.
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
    case "retry" where value.hasOnlyDigits:
      reconnectionTime = Int64(value).map { .milliseconds($0) } ?? reconnectionTime
    default: break
    }
  }

  /// Appends in place, so that an event of many lines takes linear time.
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
    // The identifier applies even without data.
    lastEventID = id
    guard let data else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, data: data, lastEventID: lastEventID)
  }
}
