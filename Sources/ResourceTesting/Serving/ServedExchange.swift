import Foundation

/// One request and its answer, while they are under way.
struct ServedExchange {
  var request: ReceivedRequest
  var body: BodyReader
  /// The request's place in the log, once it is listed.
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

  /// Lists the request, or what has been read of it since.
  mutating func record() {
    if let place {
      log.update(place, request)
    } else {
      place = log.received(request)
    }
  }

  /// The last byte of the answer is about to be written, or never will be.
  mutating func end() {
    if !isOver { log.exchangeEnded() }
    isOver = true
  }

  /// Reads up to `limit` bytes of the body; how many there were, `nil` at its end.
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
