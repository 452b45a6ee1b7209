import Foundation
import Measuring
import ResourceLoading
import Rows

/// Messages that come back.
func registerEchoes(from url: URL) {
  for (row, width) in [(Row.echo1, 1), (.echo64, 64)] {
    let open = { @Sendable in await connection(to: url) }
    row.registerAsync(.ours, givenOnce: open) { count, connection in
      do {
        try await echo(count, inFlight: width, connection)
      } catch {
        preconditionFailure("an echo failed: \(error)")
      }
    }
    let openNIO = { @Sendable in await nioSocket(to: url) }
    row.registerAsync(.nio, givenOnce: openNIO) { count, socket in
      do {
        try await socket.echo(count, inFlight: width)
      } catch {
        preconditionFailure("an echo of NIO failed: \(error)")
      }
    }
    let plain = PlainSocket(port: UInt16(url.port ?? 80))
    row.register(.sendAndReceive) { count in plain.echo(count, inFlight: width) }
  }
}

private let text = String(repeating: "0123456789abcdef", count: 2)

private func connection(to url: URL) async -> WebSocket.Connection {
  do {
    return try await Client().socket(.get(url.appending(path: "echo"))).connect()
  } catch {
    preconditionFailure("the server doesn't open a socket: \(error)")
  }
}

private func nioSocket(to url: URL) async -> NIOSocket {
  do {
    return try await NIOSocket.connect(to: url.port ?? 80)
  } catch {
    preconditionFailure("the server opens no socket to NIO: \(error)")
  }
}

private func echo(
  _ count: Int, inFlight width: Int, _ connection: WebSocket.Connection
) async throws {
  var messages = connection.messages.makeAsyncIterator()
  for start in stride(from: 0, to: count, by: width) {
    let number = min(width, count - start)
    if number == 1 {
      try await connection.send(.text(text))
    } else {
      for _ in 0..<number { connection.promise(sending: .text(text)) }
    }
    for _ in 0..<number {
      let message = try await messages.next()
      precondition(message == .text(text), "another text")
    }
  }
}
