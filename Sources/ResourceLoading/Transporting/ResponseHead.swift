/// What comes before a body: the status and the headers.
public struct ResponseHead: Sendable, Hashable {
  /// The status code.
  public var status: Status

  /// The headers. Those of the content coding that was removed may be left in.
  public var headers: Headers

  /// Makes a head, as a transport does.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The headers.
  public init(status: Status, headers: Headers = [:]) {
    self.status = status
    self.headers = headers
  }
}
