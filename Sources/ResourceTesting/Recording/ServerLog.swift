import Synchronization

/// What all connections of one server write down, and tests read and wait for.
final class ServerLog: Sendable {
  let counts = Observed(LoopbackServer.Statistics())
  let requests = Mutex<[ReceivedRequest]>([])
  let connections = Mutex<[ReceivedConnection]>([])
  let malformed = Mutex<[[UInt8]]>([])

  /// Notes a new connection and gives it its number, counted from 1.
  func opened() -> Int {
    let number = connections.withLock { connections in
      connections.append(ReceivedConnection(number: connections.count + 1))
      return connections.count
    }
    counts.update { counts in
      counts.accepted += 1
      counts.open += 1
      counts.peakOpen = max(counts.peakOpen, counts.open)
    }
    return number
  }

  func closed(_ number: Int, _ ending: ReceivedConnection.Ending) {
    connections.withLock { $0[number - 1].ending = ending }
    counts.update { counts in
      counts.open -= 1
      if ending != .byServer { counts.disconnects += 1 }
      if ending == .aborted { counts.aborts += 1 }
    }
  }
}

extension ServerLog {
  /// Lists `request` and returns its place in the list.
  func received(_ request: ReceivedRequest) -> Int {
    connections.withLock { $0[request.connection - 1].requests += 1 }
    let place = requests.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
    counts.update { $0.requests += 1 }
    return place
  }

  /// Puts what has been read of the body meanwhile in the place of the request.
  func update(_ place: Int, _ request: ReceivedRequest) {
    requests.withLock { $0[place] = request }
  }

  func receivedMalformed(_ bytes: [UInt8]) {
    malformed.withLock { $0.append(bytes) }
    counts.update { $0.malformed += 1 }
  }

  func exchangeBegan() {
    counts.update { counts in
      counts.inFlight += 1
      counts.peakInFlight = max(counts.peakInFlight, counts.inFlight)
    }
  }

  func exchangeEnded() {
    counts.update { $0.inFlight -= 1 }
  }
}
