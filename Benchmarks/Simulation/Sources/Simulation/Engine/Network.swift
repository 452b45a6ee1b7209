import CSimulation
import Foundation
import ResourceLoading

/// The network before a server. It takes every freedom that the seam gives an engine: it answers
/// late, in pieces, after cancelling, or never.
final class SimulatedTransport: Transport {
  private let server: Server

  init(_ server: Server) { self.server = server }

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
  private let number: Int
  /// The process that has started it, which may be dead by now.
  private let process: UInt32
  private var isOver = false
  private(set) var isCancelled = false
  /// What waits until the body is continued.
  private var held: [() -> Void] = []
  private var isPaused = false
  /// A transport may be unable to pause.
  private let canPause = chance(700)

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
    let weather = server.weather
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
      end(LoadError(.connection, isUnsent ? "refused" : "the connection was lost"))
    }
  }

  private func answer() -> (ResponseHead, Data) {
    let answer = server.answer(request, number)
    note("the server answers \(answer.0.status)")
    return answer
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
    var wait: Nanoseconds = 0
    for piece in pieces {
      wait += latency(pace.gap)
      after(wait) { [self] in
        pass { [self] in
          guard !isOver, isOfLivingProcess else { return }
          server.records[number].lastPiece = sim_now()
          self.receiver?.received(piece)
        }
      }
    }
    after(wait + latency(millisecond)) { [self] in pass { [self] in end(failure) } }
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
    server.onEnd?(path)
    note("ends: \(failure?.reason ?? "whole")")
    receiver?.finished(failure)
  }

  func cancel() {
    guard !isOver, !isCancelled else { return }
    isCancelled = true
    note("is cancelled")
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
