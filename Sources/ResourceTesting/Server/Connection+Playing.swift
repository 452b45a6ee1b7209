extension Connection {
  /// Does what `script` says.
  ///
  /// - Throws: `Interruption` if the connection is over, by the script or by the peer.
  mutating func play(_ script: Script) throws {
    var steps = script.steps[...]
    while let step = steps.popFirst() {
      if case .proceed(let handler) = step {
        steps = (self.script(handler).steps + steps)[...]
      } else {
        try play(step, isLast: !steps.contains(where: \.takesTime))
      }
    }
  }

  private mutating func play(_ step: Script.Step, isLast: Bool) throws {
    switch step {
    case .write(let bytes): try write(bytes, isLast: isLast)
    case .respond(let response): try respond(response, isLast: isLast)
    case .drip(let bytes, let size, let interval):
      try drip(bytes, size: size, interval: interval, isLast: isLast)
    case .repeatedly(let bytes, let count): try write(bytes, times: count, isLast: isLast)
    case .pause(let duration): try wait(for: duration)
    case .wait(let gate): try wait(at: gate)
    case .silence: try wait(for: nil)
    case .readBody(let limit, let pace): try readBody(limit: limit, pace: pace)
    case .proceed: break
    case .halfClose, .close, .reset: try end(step)
    }
  }

  private mutating func end(_ step: Script.Step) throws {
    if case .halfClose = step {
      isHalfClosed = true
      return socket.shutDown(.writing)
    }
    if case .reset = step { try SystemCalls.resetOnClose(socket.descriptor) }
    throw Interruption.closedByScript
  }
}

extension Connection {
  private mutating func respond(_ response: ScriptedResponse, isLast: Bool) throws {
    let isFinal = response.status >= 200
    try write(response.bytes(answering: exchange?.request.method), isLast: isLast && isFinal)
  }

  /// - Parameter isLast: whether the answer is complete with these bytes.
  private mutating func write(_ bytes: [UInt8], isLast: Bool) throws {
    do {
      try socket.send(bytes) { if isLast { exchange?.end() } }
    } catch {
      // An answer that could not be written wasn't given, however near its end it was.
      throw Interruption.peerLeft
    }
  }

  private mutating func write(_ bytes: [UInt8], times count: Int?, isLast: Bool) throws {
    var written = 0
    while count.map({ written < $0 }) ?? true {
      written += 1
      try write(bytes, isLast: isLast && written == count)
    }
  }

  private mutating func drip(
    _ bytes: [UInt8], size: Int, interval: Duration, isLast: Bool
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      try write(piece, isLast: isLast && rest.isEmpty)
      if !rest.isEmpty { try wait(for: interval) }
    }
  }

  /// Reads of the body what `limit` allows, and writes it down, even if the peer breaks off.
  mutating func readBody(limit: Int, pace: Script.Pace?) throws {
    guard exchange != nil else { return }
    defer { if exchange?.isListed == true { exchange?.record() } }
    var left = limit
    while left > 0, let count = try readSome(atMost: min(left, pace?.size ?? .max)) {
      left -= count
      if let pace, exchange?.body.isFinished == false { try wait(for: pace.interval) }
    }
  }

  private mutating func readSome(atMost limit: Int) throws -> Int? {
    let storedBytes = state.configuration.storedBodyBytes
    return try exchange?.read(atMost: limit, from: &reader, storing: storedBytes)
  }
}

extension Connection {
  /// Waits for a while or, with `nil`, for good; ended by the peer's leaving and by the server's stop.
  private func wait(for duration: Duration?) throws {
    let event = try SystemCalls.waitForFirst([(socket.descriptor, .hangUp)], timeout: duration)
    if event != nil { throw Interruption.peerLeft }
  }

  private func wait(at gate: Gate) throws {
    gate.countArrival()
    while !gate.isOpen {
      // Without a descriptor to spare there is no signal, and the gate is looked at now and then.
      let signal = try? gate.watchableSignal()
      let event = try SystemCalls.waitForFirst(
        [(socket.descriptor, .hangUp)] + (signal.map { [($0.descriptor, .readable)] } ?? []),
        timeout: signal == nil ? .milliseconds(10) : nil)
      if event == 0 { throw Interruption.peerLeft }
    }
  }
}
