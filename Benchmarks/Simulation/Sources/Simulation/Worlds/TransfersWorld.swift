import CSimulation
import Foundation
import PromiseModule
import ResourceLoading

/// Streams with fast and slow readers, who may leave, and downloads into files, which may be resumed,
/// over a bad network.
final class TransfersWorld: World, @unchecked Sendable {
  private lazy var server = TransferServer(self)
  private var client: Client?
  private weak var transport: SimulatedTransport?
  private let folder = "/dev/shm/simulated-files-\(getpid())"
  private let span = 40 * second
  private var isFine = false
  private var open = 0
  private var count = 0
  /// The files that are being written.
  private var busy: Set<String> = []

  override func play() {
    try? FileManager.default.removeItem(atPath: folder)
    mkdir(folder, 0o700)
    prepare()
    for _ in 0..<(2 + pick(8)) { plan(at: moment(below: span)) { [self] in beginStream() } }
    for _ in 0..<(2 + pick(10)) { plan(at: moment(below: span)) { [self] in beginDownload() } }
    for _ in 0..<pick(8) {
      let path = "/file\(pick(5))"
      plan(at: moment(below: span)) { [self] in server.change(path) }
    }
    run(until: 3600 * second) { [self] in sim_now() > span && open == 0 }
    if open > 0 { violate(.endsOnce, "\(open) of \(count) transfers never ended") }
    run(until: sim_now() + second)
    let running = server.running.filter { !$0.value.isCancelled }.keys.sorted()
    if !running.isEmpty { violate(.nothingRuns, "requests \(running) still run") }
    checkFolder()
    client = nil
    run(until: sim_now() + 400 * second)
    if transport != nil { violate(.nothingLives, "the transport") }
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func prepare() {
    isFine = chance(300)
    if !isFine {
      server.weather = Weather(
        loss: pick(of: [0, 50, 200]), reset: pick(of: [0, 100, 400]), errors: pick(of: [0, 100]),
        latency: pick(of: [5, 50, 500]) * millisecond)
    }
    server.gap = pick(of: [1, 100, 500]) * millisecond
    server.sendsParts = chance(800)
    server.ignoresConditions = chance(200)
    server.hidesCuts = chance(300)
    note("the network: \(server.weather)")
    let transport = SimulatedTransport(server)
    self.transport = transport
    let hasLimit = chance(300)
    client = Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.options.timeout = .seconds(300)
      $0.options.idleTimeout = .seconds(8)
      let backoff = Backoff(base: .milliseconds(100), maximum: .seconds(2))
      $0.middleware = [
        RetryMiddleware(RetryPolicy(maximumAttempts: 3, backoff: backoff), budget: nil)
      ]
      if hasLimit { $0.middleware.append(ConcurrencyLimitMiddleware(maximumRequestsPerHost: 4)) }
    }
  }
}

// MARK: - Streams

extension TransfersWorld {
  /// How somebody reads a stream.
  private struct Reader {
    var number: Int
    var path: String
    /// The longest pause between two pieces, in milliseconds; 0 for none.
    var pause: Int
    /// The number of pieces after which the reader leaves.
    var leaves: Int?
  }

  private func beginStream() {
    guard let client else { return }
    count += 1
    open += 1
    let reader = Reader(
      number: count, path: "/stream\(pick(5))", pause: pick(of: [0, 0, 300]),
      leaves: chance(200) ? pick(5) : nil)
    note("stream \(reader.number) of \(reader.path)")
    Task { [self] in
      var exchange: Int?
      do { exchange = try await read(reader, from: client) } catch {
        note("stream \(reader.number) fails: \((error as? LoadError)?.reason ?? "\(error)")")
        if isFine { violate(.wholeOrError, "stream \(reader.number) fails: \(error)") }
      }
      open -= 1
      guard let exchange else { return }
      after(second) { [self] in
        if server.running[exchange]?.isCancelled == false {
          violate(
            .nothingRuns, "request \(exchange) runs, and nobody reads stream \(reader.number)")
        }
      }
    }
  }

  /// Reads a stream.
  ///
  /// - Returns: The number of its request.
  private func read(_ reader: Reader, from client: Client) async throws -> Int? {
    let stream = try await client.stream(.get(RequestPath(reader.path)))
    let exchange = stream.headers["X-Exchange"].flatMap { Int($0) }
    let version = stream.headers["X-Version"].flatMap { Int($0) } ?? 0
    let content = TransferServer.content(of: reader.path, version)
    var (offset, pieces) = (0, 0)
    do {
      for try await piece in stream {
        if piece != content.dropFirst(offset).prefix(piece.count) {
          violate(.isPrefix, "stream \(reader.number) has other bytes from \(offset) on")
        }
        offset += piece.count
        pieces += 1
        if let leaves = reader.leaves, pieces > leaves {
          note("the reader of stream \(reader.number) leaves")
          return exchange
        }
        if reader.pause > 0, chance(500) {
          try await SimulatedClock().sleep(for: .milliseconds(pick(reader.pause)))
        }
      }
    } catch {
      checkIdle(error, reader, exchange)
      throw error
    }
    note("stream \(reader.number) ends after \(offset) bytes")
    if offset != content.count {
      violate(
        .wholeOrError, "stream \(reader.number) ended after \(offset) of \(content.count) bytes")
    }
    return exchange
  }

  private func checkIdle(_ error: any Error, _ reader: Reader, _ exchange: Int?) {
    guard let error = error as? LoadError, error.reason.hasPrefix("nothing arrived"),
      reader.pause == 0, let exchange
    else { return }
    let idle = sim_now() - server.records[exchange].lastPiece
    if idle < 7 * second {
      violate(
        .ownLimits, "stream \(reader.number) was idle for \(idle / millisecond) ms: \(error.reason)"
      )
    }
  }
}

// MARK: - Downloads

extension TransfersWorld {
  private func beginDownload() {
    guard let client else { return }
    let (path, resumes) = ("/file\(pick(5))", chance(600))
    let name = (resumes ? "r" : "f") + path.dropFirst("/file".count)
    guard busy.insert(name).inserted else { return }
    count += 1
    open += 1
    let (number, version) = (count, server.version(of: path))
    note("download \(number) of \(path) to \(name)")
    let file = URL(filePath: folder + "/" + name)
    let before = try? Data(contentsOf: file)
    let resource = Resource.download(.get(RequestPath(path)), to: file, resuming: resumes)
    let task = Task { [self] in
      do {
        let download = try await client.load(resource)
        note(
          "download \(number) has \(download.size) bytes, \(download.resumedSize) of them from before"
        )
        check(file, of: path, atLeast: version, number)
      } catch {
        note("download \(number) fails: \((error as? LoadError)?.reason ?? "\(error)")")
        if (try? Data(contentsOf: file)) != before {
          violate(.fileIsWhole, "download \(number) failed and has changed \(name)")
        }
      }
      busy.remove(name)
      open -= 1
    }
    if chance(200) { after(latency(second)) { task.cancel() } }
  }

  private func check(_ file: URL, of path: String, atLeast version: Int, _ number: Int) {
    let content = try? Data(contentsOf: file)
    let isOne = (version...server.version(of: path)).contains {
      content == TransferServer.content(of: path, $0)
    }
    if !isOne {
      violate(
        .fileIsWhole,
        "download \(number) of \(path) has \(content?.count ?? -1) bytes of no version")
    }
  }

  /// Only files are left, and parts of those that can be resumed.
  private func checkFolder() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() {
      let isFile = name.count == 2
      let isPart = name.hasPrefix("r") && (name.hasSuffix(".part") || name.hasSuffix(".part.json"))
      if !isFile, !isPart { violate(.leavesNoFile, "\(name) is left") }
    }
  }
}
