import CSimulation
import Foundation
import ResourceLoading

/// Sockets over a bad network: users who listen and whose sockets are opened again, and users who
/// talk over one, read slowly, leave and cancel.
final class SocketsWorld: World, @unchecked Sendable {
  lazy var server = SocketServer(self)
  private var client: Client?
  private weak var transport: SimulatedSocketTransport?
  private let span = 40 * second
  private let attempts = 3
  private var isFine = false
  /// Whether all loads were cancelled, or the client closed.
  var isDisturbed = false
  private var open = 0
  private var count = 0

  override func play() {
    prepare()
    for _ in 0..<(1 + pick(4)) { plan(at: moment(below: span)) { [self] in beginListening() } }
    for _ in 0..<(2 + pick(6)) { plan(at: moment(below: span)) { [self] in beginTalking() } }
    if chance(150) { plan(at: moment(below: span)) { [self] in disturb { $0.cancelAll() } } }
    if chance(100) { plan(at: moment(below: span)) { [self] in disturb { $0.close() } } }
    run(until: 3600 * second) { [self] in sim_now() > span && open == 0 }
    if open > 0 { violate(.endsOnce, "\(open) of \(count) users never end") }
    // Those who leave don't wait until their sockets are closed.
    run(until: sim_now() + 3 * second)
    if !running.isEmpty { violate(.nothingRuns, "connections \(running.sorted()) still run") }
    client = nil
    run(until: sim_now() + 400 * second)
    if transport != nil { violate(.nothingLives, "the transport") }
  }

  private func prepare() {
    isFine = chance(250)
    if isFine {
      server.weather = .fine
    } else {
      server.weather = SocketWeather(
        loss: pick(of: [0, 100, 400]), refusals: pick(of: [0, 100]), cuts: pick(of: [0, 300, 800]),
        stalls: pick(of: [0, 0, 300]), latency: pick(of: [1, 20, 300]) * millisecond)
      server.deaf = pick(of: [0, 500])
    }
    server.maximumTexts = pick(of: [1, 5, 20])
    server.gap = pick(of: [0, 20, 200]) * millisecond
    server.longTexts = pick(of: [0, 0, 500, 1000])
    server.closeCodes = pick(of: [[1000], [1000, 1001, 1012, nil], [1000, 1001, 1008]])
    note("the network: \(server.weather)")
    let transport = SimulatedSocketTransport(server)
    self.transport = transport
    client = Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.maximumRequestsPerHost = nil
    }
  }

  private func disturb(_ body: (Client) -> Void) {
    isDisturbed = true
    note("all loads are cancelled, or the client is closed")
    guard let client else { return }
    let before = running
    body(client)
    after(second) { [self] in
      let left = running.intersection(before).sorted()
      if !left.isEmpty { violate(.endsInTime, "connections \(left) outlive the end of all loads") }
    }
  }

  /// The connections that aren't cancelled.
  private var running: Set<Int> { Set(server.running.filter { !$0.value.isCancelled }.keys) }

  func socket(_ user: Int, of client: Client) -> WebSocket {
    var request = Request.get("/live")
    request.headers["X-User"] = "\(user)"
    return client.socket(request) {
      $0.pingInterval = .seconds(5)
      $0.closeTimeout = .seconds(2)
    }
  }

  /// Runs a user's task, which now and then is cancelled, and then ends soon.
  func begin(_ words: String, _ body: @escaping @Sendable (Int, Client) async -> Void) {
    guard let client else { return }
    count += 1
    open += 1
    let user = count
    note("user \(user) \(words)")
    let isOpen = Shared(true)
    let task = Task { [self] in
      await body(user, client)
      note("user \(user) has ended")
      isOpen.value = false
      open -= 1
    }
    guard chance(300) else { return }
    after(latency(second)) { [self] in
      guard isOpen.value else { return }
      note("user \(user) is cancelled")
      task.cancel()
      after(4 * second) { [self] in
        if isOpen.value { violate(.endsInTime, "user \(user) goes on 4 s after it was cancelled") }
      }
    }
  }
}

// MARK: - Listening

extension SocketsWorld {
  /// What somebody who listens has read.
  struct Heard {
    var connection = -1
    /// The number of texts that this connection has brought.
    var count = 0
  }

  private func beginListening() {
    let (pause, leaves) = (pick(of: [0, 0, 300]), chance(200) ? pick(8) : nil)
    begin("listens") { [self] user, client in
      let policy = RetryPolicy(
        maximumAttempts: attempts,
        backoff: Backoff(base: .milliseconds(100), maximum: .seconds(2)))
      var heard = Heard()
      do {
        var total = 0
        for try await message in socket(user, of: client).messages(reconnecting: policy) {
          take(message, user, &heard)
          total += 1
          if let leaves, total > leaves { return }
          if pause > 0, chance(500) { await rest(for: Nanoseconds(pick(pause)) * millisecond) }
        }
        checkEnd(of: heard, user)
      } catch {
        note("user \(user) fails: \((error as? LoadError)?.reason ?? "\(error)")")
        check(error, of: heard, user)
      }
    }
  }

  func take(_ message: WebSocket.Message, _ user: Int, _ heard: inout Heard) {
    guard case .text(let text) = message else { return }
    let words = text.split(separator: " ", maxSplits: 2).prefix(2).compactMap { Int($0) }
    guard words.count == 2 else { return violate(.messagesInOrder, "user \(user) gets \(text)") }
    if words[0] != heard.connection {
      if words[0] < heard.connection {
        violate(.messagesInOrder, "user \(user) gets a text of connection \(words[0]) again")
      }
      checkAllRead(heard, user)
      heard = Heard(connection: words[0])
    }
    if words[1] != heard.count {
      violate(
        .messagesInOrder,
        "user \(user) gets text \(words[1]) of connection \(words[0])"
          + " instead of \(heard.count)")
    }
    heard.count += 1
  }

  /// What has arrived before the network has ended a connection, or before its close frame, is read.
  private func checkAllRead(_ heard: Heard, _ user: Int) {
    guard server.records.indices.contains(heard.connection), !isDisturbed else { return }
    let record = server.records[heard.connection]
    // A silent connection is given up with what may be left on it.
    guard record.code != nil || record.end != nil && !record.isCancelled else { return }
    if heard.count < record.delivered {
      violate(
        .messagesAreRead,
        "user \(user) has read \(heard.count) of \(record.delivered) texts of"
          + " connection \(heard.connection)")
    }
  }

  private func checkEnd(of heard: Heard, _ user: Int) {
    checkAllRead(heard, user)
    let connections = server.records.filter { $0.user == "\(user)" }
    guard let code = connections.last?.code, code == 1000 || code == 1005 else {
      return violate(.endsAsClosed, "user \(user) isn't told why there are no more messages")
    }
  }

  private func check(_ error: any Error, of heard: Heard, _ user: Int) {
    guard !isDisturbed, let error = error as? LoadError else { return }
    let indices = server.records.indices.filter { server.records[$0].user == "\(user)" }
    guard let last = indices.last, server.records[last].code != 1008 else { return }
    let failures = indices.count { $0 >= heard.connection }
    if failures < attempts {
      violate(.recovers, "user \(user) gives up after \(failures) failures: \(error.reason)")
    }
  }
}
