import Foundation
import Synchronization

/// One request and its response in progress.
struct ServedExchange {
  var request: ReceivedRequest
  var body: BodyReader
  /// The index of the request in the log, once it is listed.
  private var place: Int?
  private(set) var isOver = false
  private let log: ServerLog

  init(_ request: ReceivedRequest, log: ServerLog) throws {
    self.request = request
    self.log = log
    body = BodyReader(try request.framing())
    self.request.isComplete = body.isFinished
    log.exchangeBegan()
  }

  var isListed: Bool {
    place != nil
  }

  /// Lists the request, or updates its entry.
  mutating func record() {
    if let place {
      log.update(place, request)
    } else {
      place = log.received(request)
    }
  }

  /// Ends the exchange before the last byte of the response is written, or if that never happens.
  mutating func end() {
    if !isOver { log.exchangeEnded() }
    isOver = true
  }

  /// Reads up to `limit` bytes of the body and returns their number, `nil` at its end.
  mutating func read(
    atMost limit: Int, from reader: inout ByteReader, storing storedBytes: Int
  ) throws -> Int? {
    let bytes = try body.next(atMost: limit, from: &reader)
    let raw = body.takeRaw()
    request.isComplete = body.isFinished
    request.trailers = body.trailers
    request.bodyLength += bytes?.count ?? 0
    if request.body.count < storedBytes {
      request.body.append(contentsOf: bytes?.prefix(storedBytes - request.body.count) ?? [])
      request.rawBody.append(contentsOf: raw)
    }
    return bytes?.count
  }
}

/// The log of one server. Its connections write it, and tests read it and wait for entries.
final class ServerLog: Sendable {
  let counts = Observed(LoopbackServer.Statistics())
  let requests = Mutex<[ReceivedRequest]>([])
  let connections = Mutex<[ReceivedConnection]>([])
  let malformed = Mutex<[[UInt8]]>([])

  /// Logs a new connection and returns its number, counted from 1.
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

  func closed(_ number: Int, _ termination: ReceivedConnection.Termination) {
    connections.withLock { $0[number - 1].termination = termination }
    counts.update { counts in
      counts.open -= 1
      if termination != .byServer { counts.disconnects += 1 }
      if termination == .aborted { counts.aborts += 1 }
    }
  }
}

extension ServerLog {
  /// Lists a request and returns its index.
  func received(_ request: ReceivedRequest) -> Int {
    connections.withLock { $0[request.connection - 1].requests += 1 }
    let place = requests.withLock { requests in
      requests.append(request)
      return requests.count - 1
    }
    counts.update { $0.requests += 1 }
    return place
  }

  /// Updates a request after more of its body has been read.
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
