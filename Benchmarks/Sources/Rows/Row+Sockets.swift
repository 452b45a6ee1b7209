extension Row {
  // What a message of 32 bytes costs that comes back, one at a time and 64 under way, beside a loop
  // of `send` and `recv` with the same frames, and beside NIOWebSocket, on which websocket-kit is
  // built.
  public static let echo1 = Row(
    "socket-echo-32B-1", operations: 2_000, goals: [.sendAndReceive: 3])
  public static let echo64 = Row(
    "socket-echo-32B-64", operations: 6_400, goals: [.sendAndReceive: 3])

  /// The rows of the socket suite, in the order of the table.
  public static let sockets = [echo1, echo64]
}
