extension Script {
  /// Writes exactly these bytes.
  public static func bytes(_ bytes: some Sequence<UInt8>) -> Script {
    Script([.write(Array(bytes))])
  }

  /// Writes exactly the UTF-8 of `text`; line ends of HTTP are `\r\n`.
  public static func bytes(_ text: String) -> Script {
    bytes(text.utf8)
  }

  /// Writes `bytes`, `size` at a time (at least 1), with `interval` between.
  public static func drip(
    _ bytes: some Sequence<UInt8>, size: Int = 1, every interval: Duration
  ) -> Script {
    Script([.drip(Array(bytes), size: max(size, 1), interval: interval)])
  }

  /// Writes the UTF-8 of `text`, `size` bytes at a time (at least 1), with `interval` between.
  public static func drip(_ text: String, size: Int = 1, every interval: Duration) -> Script {
    drip(text.utf8, size: size, every: interval)
  }

  /// Writes `bytes` `count` times, for large bodies that take no memory.
  public static func repeating(_ bytes: some Sequence<UInt8>, count: Int) -> Script {
    Script([.repeatedly(Array(bytes), count: count)])
  }

  /// Writes the UTF-8 of `text` `count` times, for large bodies that take no memory.
  public static func repeating(_ text: String, count: Int) -> Script {
    repeating(text.utf8, count: count)
  }

  /// Writes `bytes` again and again, until the client closes the connection or the server stops.
  public static func repeatForever(_ bytes: some Sequence<UInt8>) -> Script {
    Script([.repeatedly(Array(bytes), count: nil)])
  }

  /// Writes the UTF-8 of `text` again and again, until the client closes the connection or the
  /// server stops.
  public static func repeatForever(_ text: String) -> Script {
    repeatForever(text.utf8)
  }
}

extension Script {
  /// Does nothing for a while.
  public static func delay(_ duration: Duration) -> Script {
    Script([.pause(duration)])
  }

  /// Does nothing until the test opens `gate`.
  public static func wait(_ gate: Gate) -> Script {
    Script([.wait(gate)])
  }

  /// Does nothing until the client closes the connection or the server stops.
  public static var silence: Script {
    Script([.silence])
  }

  /// Closes the connection. If the client has sent something that is still unread, the system
  /// sends a reset, as TCP does.
  public static var close: Script {
    Script([.close])
  }

  /// Ends the sending side only: the client reads the end, and may go on sending. At the end of the
  /// script the rest of what the client sends is read and dropped until it closes, too.
  public static var halfClose: Script {
    Script([.halfClose])
  }

  /// Closes the connection with a TCP reset (`SO_LINGER` of zero); bytes that the client hasn't
  /// read may be lost to it.
  public static var reset: Script {
    Script([.reset])
  }
}

extension Script {
  /// Reads the rest of the request's body into the log. Only of use in a route that answers
  /// `.beforeBody`.
  public static var readBody: Script {
    Script([.readBody(limit: .max, pace: nil)])
  }

  /// Reads up to `limit` further bytes of the request's body, fewer if it ends before, and leaves the
  /// rest unread, so that the client's sending comes to a halt when the buffers are full.
  public static func readBody(upTo limit: Int) -> Script {
    Script([.readBody(limit: limit, pace: nil)])
  }

  /// Reads the rest of the request's body slowly: `size` bytes at a time, with `interval` after each.
  public static func readBody(size: Int, every interval: Duration) -> Script {
    Script([.readBody(limit: .max, pace: Pace(size: max(size, 1), interval: interval))])
  }

  /// Goes on with what `handler` says when it has seen the request as far as it was read.
  ///
  /// ```swift
  /// LoopbackRoute("POST /careful", answers: .beforeBody) { _ in
  ///   [.informational(100), .readBody, .proceed { .response(body: "\($0.bodyLength)") }]
  /// }
  /// ```
  public static func proceed(
    _ handler: @escaping @Sendable (ReceivedRequest) throws -> Script
  ) -> Script {
    Script([.proceed(handler)])
  }
}
