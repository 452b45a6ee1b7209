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
