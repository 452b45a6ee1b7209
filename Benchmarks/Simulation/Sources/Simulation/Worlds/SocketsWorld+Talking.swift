import CSimulation
import Foundation
import PromiseModule
import ResourceLoading

// Those who talk over one connection, alone or with a friend.
extension SocketsWorld {
  /// What somebody who talks has said.
  private struct Said {
    var texts: [String] = []
    /// What a friend has said over the same connection.
    var friendTexts: [String] = []
    var failures: [LoadError] = []
    /// The promises of what was said without waiting.
    var promises: [Promise<Void>] = []
  }

  func beginTalking() {
    let (size, readsLate) = (1 + pick(12), chance(300))
    begin("talks") { [self] user, client in
      let said = Shared(Said())
      var connection: WebSocket.Connection?
      do {
        let opened = try await socket(user, of: client).connect()
        connection = opened
        if chance(300) { beginFriend(over: opened, said) }
        try await talk(size, readsLate, over: opened, said)
        await opened.close()
      } catch {
        note("user \(user) fails: \((error as? LoadError)?.reason ?? "\(error)")")
        if let error = error as? LoadError { said.value.failures.append(error) }
        await connection?.close(.goingAway)
      }
      guard let connection else { return }
      for promise in said.value.promises {
        do { try await promise.value } catch let error as LoadError {
          said.value.failures.append(error)
        } catch {}
      }
      _ = try? await connection.waitForEnd()
      check(said.value, over: connection, user)
    }
  }

  private func talk(
    _ size: Int, _ readsLate: Bool, over connection: WebSocket.Connection, _ said: Shared<Said>
  ) async throws {
    var messages = connection.messages.makeAsyncIterator()
    var heard = Heard(connection: number(of: connection))
    for index in 0..<size {
      switch pick(readsLate ? 3 : 5) {
      case 0:
        said.value.texts.append("\(index)")
        said.value.promises.append(connection.promise(sending: .text("\(index)")))
      case 1 where chance(300): try await connection.ping()
      case 1, 2:
        said.value.texts.append("\(index)")
        try await send("\(index)", over: connection)
      default:
        guard let message = try await messages.next() else { return }
        take(message, -1, &heard)
      }
      if chance(300) { await rest(for: Nanoseconds(pick(300)) * millisecond) }
    }
    guard chance(500) else { return }
    while let message = try await messages.next() { take(message, -1, &heard) }
  }

  /// Sends a text, which fails at once if the connection has ended.
  private func send(_ text: String, over connection: WebSocket.Connection) async throws {
    let began = sim_now()
    do {
      try await connection.send(.text(text))
    } catch {
      let record = server.records[number(of: connection)]
      if record.end != nil, sim_now() > max(began, record.ended) + second {
        violate(.endsInTime, "\(text) fails long after the end of its connection")
      }
      throw error
    }
  }

  /// Somebody else sends texts over a connection at the same time.
  private func beginFriend(over connection: WebSocket.Connection, _ said: Shared<Said>) {
    let count = 1 + pick(8)
    Task {
      for index in 0..<count {
        said.value.friendTexts.append("f\(index)")
        connection.promise(sending: .text("f\(index)"))
        if chance(300) { await rest(for: Nanoseconds(pick(20)) * millisecond) }
      }
    }
  }

  private func number(of connection: WebSocket.Connection) -> Int {
    connection.headers["X-Connection"].flatMap { Int($0) } ?? 0
  }

  private func check(_ said: Said, over connection: WebSocket.Connection, _ user: Int) {
    let number = number(of: connection)
    let record = server.records[number]
    let undelivered = connection.undelivered.map { message in
      if case .text(let text) = message { text } else { "" }
    }
    for (texts, isFriend) in [(said.texts, false), (said.friendTexts, true)] {
      func own(_ texts: [String]) -> [String] { texts.filter { $0.hasPrefix("f") == isFriend } }
      let (heard, taken, rest) = (own(record.heard), own(record.taken), own(undelivered))
      if heard != Array(texts.prefix(heard.count)) {
        violate(.messagesInOrder, "the server hears \(heard) of \(texts)")
      }
      // What was said after the end was never to be sent.
      if rest != Array(texts.dropFirst(taken.count).prefix(rest.count)) {
        violate(
          .undeliveredIsKnown, "\(rest) are undelivered of \(texts), of which \(taken) were taken")
      }
    }
    guard !isDisturbed, record.code == nil, !record.isCancelled, let failure = record.end ?? nil
    else { return }
    for error in said.failures where error.kind == .connection && error.reason != failure.reason {
      violate(.saysWhy, "user \(user) reads \(error.reason) instead of \(failure.reason)")
    }
  }
}
