import CSimulation
import Foundation
import ResourceLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The network before a server. It takes every freedom that the seam gives an engine: it answers
/// late, in pieces, after cancelling, or never.
final class SimulatedTransport: Transport {
  private let server: Server
  let deliversInterimResponses: Bool

  init(_ server: Server, deliversInterimResponses: Bool = false) {
    (self.server, self.deliversInterimResponses) = (server, deliversInterimResponses)
  }

  func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    let exchange = SimulatedExchange(server, request, receiver)
    exchange.begin()
    server.onBegin?()
    return exchange
  }
}

final class SimulatedExchange: Exchange, @unchecked Sendable {
  private let server: Server
  private let request: WireRequest
  private var receiver: (any ExchangeReceiver)?
  let number: Int
  /// The process that has started it, which may be dead by now.
  private let process: UInt32
  private var isOver = false
  private(set) var isCancelled = false
  /// What waits until the body is continued.
  private var held: [() -> Void] = []
  private var isPaused = false
  /// A transport may be unable to pause.
  private let canPause = chance(700)
  /// What hasn't been read yet of the request's body.
  private var unread: WireBodyReader?
  /// The pieces of the request's body that are on their way.
  private var outgoing: [Data] = []

  init(_ server: Server, _ request: WireRequest, _ receiver: any ExchangeReceiver) {
    (self.server, self.request, self.receiver) = (server, request, receiver)
    number = server.begin(request)
    process = sim_current_process()
  }

  var isOfLivingProcess: Bool { sim_alive(process) != 0 }

  var path: String { request.url.path(percentEncoded: false) }

  /// The number of the load that has sent it, if it said so.
  var load: Int? { request.headers["X-Load"].flatMap { Int($0) } }

  private func note(_ text: @autoclosure () -> String) {
    server.world.note("request \(number): \(text())")
  }

  /// The identity of a write.
  private var key: String? { request.headers["Idempotency-Key"] }

  func begin() {
    if let key,
      let other = server.running.values.first(where: {
        $0.key == key && !$0.isCancelled && $0.isOfLivingProcess
      })
    {
      server.world.violate(.sentAlone, "request \(number) is sent beside \(other.number): \(key)")
    }
    server.running[number] = self
    note("\(request.method) \(request.url.path()) \(request.headers[.authorization] ?? "")")
    let weather = server.weather(for: request)
    if let body = request.body, server.readsBodies { return send(body, weather) }
    let way = latency(weather.latency)
    // A server that answers at once may do so before `start` has returned.
    if chance(20), chance(1000 - weather.loss) {
      let (head, body) = answer()
      return deliver(head, body, weather, atOnce: true)
    }
    if chance(weather.loss) { return lose(after: way) }
    if chance(weather.stall) {
      // Nothing comes back; the request may have arrived.
      if chance(500) { after(way) { [self] in if isOfLivingProcess { _ = answer() } } }
      return
    }
    after(way) { [self] in
      guard !isOver, !isCancelled, isOfLivingProcess else { return }
      let (head, body) = answer()
      var delay = latency(weather.latency)
      if chance(weather.drip) { delay += Nanoseconds(pick(6000)) * millisecond }
      after(delay) { [self] in deliver(head, body, weather) }
    }
  }

  private func lose(after way: Nanoseconds) {
    let isUnsent = chance(500)
    after(way) { [self] in
      if !isUnsent, isOfLivingProcess, !isCancelled { _ = answer() }
      end(isUnsent ? .refused : .lost)
    }
  }

  private func answer() -> (ResponseHead, Data) {
    let answer = server.answer(request, number)
    note("the server answers \(answer.0.status)")
    return answer
  }
}

extension LoadError {
  fileprivate static let lost = LoadError(.connection, "the connection was lost")
  fileprivate static let refused = LoadError(
    .connection, "refused", underlying: URLError(.cannotConnectToHost))
}

// MARK: - The body of a request

extension SimulatedExchange {
  /// Sends a body to a server that stores what has arrived of it.
  private func send(_ body: WireBody, _ weather: Weather) {
    let count = 1 + pick(5)
    let size = (body.length + count - 1) / count
    // The piece at which the connection is lost, and the one from which on nothing passes.
    let lost = chance(weather.loss) ? pick(count + 1) : nil
    let stalled = chance(weather.stall) ? pick(count + 1) : nil
    unread = body.makeReader()
    if chance(weather.loss / 4) {
      return after(latency(weather.latency)) { [self] in end(.refused) }
    }
    after(latency(weather.latency)) { [self] in
      guard !isOver, !isCancelled, isOfLivingProcess else { return }
      reply(server.open(request, number), weather)
      send(0, of: size, lost, stalled, weather)
    }
  }

  private func send(
    _ index: Int, of size: Int, _ lost: Int?, _ stalled: Int?, _ weather: Weather
  ) {
    guard !isOver, !isCancelled, isOfLivingProcess, stalled != index else { return }
    if lost == index { return end(.lost) }
    do {
      guard let piece = try unread?.next(atMost: size) else {
        unread = nil
        return
      }
      outgoing.append(piece)
    } catch { return end(error as? LoadError ?? .lost) }
    after(latency(weather.latency)) { [self] in arrive(weather) }
    after(latency(10 * millisecond)) { [self] in
      send(index + 1, of: size, lost, stalled, weather)
    }
  }

  /// The next piece arrives, even if the client isn't there any more.
  private func arrive(_ weather: Weather) {
    guard !outgoing.isEmpty else { return }
    reply(server.receive(outgoing.removeFirst(), number), weather)
  }

  private func reply(_ reply: Server.Reply, _ weather: Weather) {
    if let interim = reply.interim {
      after(latency(weather.latency)) { [self] in
        if !isOver, !isCancelled { receiver?.received(interim: interim) }
      }
    }
    guard let (head, body) = reply.answer else { return }
    note("the server answers \(head.status)")
    if chance(weather.loss) { return after(latency(weather.latency)) { [self] in end(.lost) } }
    if chance(weather.stall) { return }
    after(latency(weather.latency)) { [self] in deliver(head, body, weather) }
  }

  /// The process has died: some of what it has sent may still arrive.
  func letGo() {
    unread = nil
    for piece in outgoing.prefix(pick(outgoing.count + 1)) { _ = server.receive(piece, number) }
    outgoing = []
  }
}

// MARK: - The way back

extension SimulatedExchange {
  private func deliver(
    _ head: ResponseHead, _ body: Data, _ weather: Weather, atOnce: Bool = false
  ) {
    guard !isOver, isOfLivingProcess else { return }
    guard let receiver, !isCancelled || chance(300) else { return end(nil) }
    receiver.received(head)
    let cut = chance(weather.reset) ? pick(body.count + 1) : nil
    // Not every engine notices that a body is shorter than its length.
    let failure = cut.flatMap { _ in
      server.isCutUnnoticed(path) ? nil : LoadError(.connection, "the connection was reset")
    }
    let pace = server.pace(of: path)
    let pieces = pieces(of: body.prefix(cut ?? body.count), pace.pieces)
    guard !atOnce else {
      for piece in pieces { receiver.received(piece) }
      return end(failure)
    }
    var wait = sim_now()
    var steps: [(time: Nanoseconds, body: () -> Void)] = pieces.map { piece in
      wait += latency(pace.gap)
      return (wait, { [self] in receive(piece) })
    }
    steps.append((wait + latency(millisecond), { [self] in end(failure) }))
    play(steps[...])
  }

  private func receive(_ piece: Data) {
    guard !isOver, isOfLivingProcess else { return }
    server.records[number].lastPiece = sim_now()
    receiver?.received(piece)
  }

  /// Delivers one thing after the other, also if several are due when a thread goes on.
  private func play(_ steps: ArraySlice<(time: Nanoseconds, body: () -> Void)>) {
    guard let (time, body) = steps.first else { return }
    after(max(0, time - sim_now())) { [self] in
      pass { [self] in
        body()
        play(steps.dropFirst())
      }
    }
  }

  /// Delivers something of the body, unless that is paused.
  private func pass(_ body: @escaping () -> Void) {
    guard isPaused || !held.isEmpty else { return body() }
    held.append(body)
  }

  func pause() { if canPause { isPaused = true } }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    soon { [self] in
      while !isPaused, !held.isEmpty { held.removeFirst()() }
    }
  }

  /// A body as a whole, in a few pieces, or byte by byte at its end.
  private func pieces(of body: Data, _ most: Int) -> [Data] {
    guard !body.isEmpty else { return [] }
    let count = min(body.count, 1 + pick(most))
    let length = body.count / count
    var pieces = (0..<count).map { index in
      Data(body.dropFirst(index * length).prefix(index == count - 1 ? body.count : length))
    }
    if chance(50), let last = pieces.popLast() {
      pieces += [Data(last.dropLast(3))] + last.suffix(3).map { Data([$0]) }
    }
    return pieces.filter { !$0.isEmpty }
  }

  private func end(_ failure: LoadError?) {
    guard !isOver, isOfLivingProcess else { return }
    isOver = true
    server.running[number] = nil
    if failure == nil { server.ended(number, isAwaited: !isCancelled) }
    let receiver = receiver
    self.receiver = nil
    unread = nil
    if chance(300) { outgoing = [] }
    server.onEnd?(path)
    note("ends: \(failure?.reason ?? "whole")")
    receiver?.finished(failure)
  }

  func cancel() {
    guard !isOver, !isCancelled else { return }
    isCancelled = true
    note("is cancelled")
    unread = nil
    if chance(300) { outgoing = [] }
    if chance(500) {
      // It may still report the end, late, or nothing more.
      after(latency(2 * millisecond)) { [self] in end(LoadError(.connection, "cancelled")) }
    } else {
      isOver = true
      server.running[number] = nil
      receiver = nil
    }
  }
}
