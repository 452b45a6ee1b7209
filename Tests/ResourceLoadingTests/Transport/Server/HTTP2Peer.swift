#if Curl && os(Linux)
  /// The server's end of an HTTP/2 connection. It writes any frames.
  final class HTTP2Peer {
    let channel: any ByteChannel
    private var unread: [UInt8] = []
    private var areSettingsAcknowledged = false

    /// Reads the client's preface and sends settings; `nil` if the client has disconnected.
    init?(over channel: any ByteChannel) {
      self.channel = channel
      guard let preface = take(24), preface.starts(with: "PRI * HTTP/2.0".utf8) else { return nil }
      send(.settings())
    }

    func send(_ frames: HTTP2Frame...) { channel.send(frames.flatMap(\.bytes)) }

    /// Reads up to the next request and acknowledges settings. Returns the number of its stream;
    /// `nil` if the client has disconnected.
    func readRequest() -> UInt32? {
      while let frame = readFrame() {
        if frame.kind == HTTP2Frame.Kind.headers { return frame.stream }
        if frame.kind == HTTP2Frame.Kind.settings, frame.flags == 0 {
          send(HTTP2Frame(kind: frame.kind, flags: HTTP2Frame.Flag.acknowledged))
        }
      }
      return nil
    }

    /// Reads until the client has acknowledged the settings.
    func readAcknowledgement() { while !areSettingsAcknowledged, readFrame() != nil {} }

    func readToEnd() { while readRequest() != nil {} }

    /// Returns the next frame; `nil` if the client has disconnected.
    func readFrame() -> HTTP2Frame? {
      guard let head = take(9) else { return nil }
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard let payload = take(length) else { return nil }
      let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let frame = HTTP2Frame(
        kind: head[3], flags: head[4], stream: stream & 0x7FFF_FFFF, payload: payload)
      if frame.kind == HTTP2Frame.Kind.settings, frame.flags == HTTP2Frame.Flag.acknowledged {
        areSettingsAcknowledged = true
      }
      return frame
    }

    private func take(_ count: Int) -> [UInt8]? {
      while unread.count < count {
        guard let bytes = channel.receive() else { return nil }
        unread += bytes
      }
      defer { unread.removeFirst(count) }
      return Array(unread.prefix(count))
    }
  }
#endif
