import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

/// A connection of SwiftNIO that has switched to WebSocket, as websocket-kit has one: frames are
/// written from any thread, and read by a handler on the event loop.
final class NIOSocket: Sendable {
  private let channel: any Channel
  private let replies: NIOLoopBound<Replies>

  private init(_ channel: any Channel, _ replies: NIOLoopBound<Replies>) {
    (self.channel, self.replies) = (channel, replies)
  }

  /// Sends messages of 32 bytes, and waits for what comes back.
  func echo(_ count: Int, inFlight width: Int) async throws {
    let text = String(repeating: "0123456789abcdef", count: 2)
    for start in stride(from: 0, to: count, by: width) {
      let number = min(width, count - start)
      let promise = channel.eventLoop.makePromise(of: Void.self)
      channel.eventLoop.execute { [replies] in replies.value.await(number, promise) }
      for _ in 0..<number {
        let frame = WebSocketFrame(
          fin: true, opcode: .text, maskKey: .random(), data: channel.allocator.buffer(string: text)
        )
        channel.writeAndFlush(frame, promise: nil)
      }
      try await promise.futureResult.get()
    }
  }
}

extension NIOSocket {
  /// Connects to a server on this machine.
  static func connect(to port: Int) async throws -> NIOSocket {
    let upgrade: EventLoopFuture<NIOSocket?> =
      try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .channelOption(.socketOption(.tcp_nodelay), value: 1)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture { try Self.upgrade(channel) }
      }
    guard let socket = try await upgrade.get() else { throw ChannelError.operationUnsupported }
    return socket
  }

  private static func upgrade(_ channel: any Channel) throws -> EventLoopFuture<NIOSocket?> {
    let upgrader = NIOTypedWebSocketClientUpgrader<NIOSocket?> { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        let replies = Replies()
        try channel.pipeline.syncOperations.addHandler(replies)
        return NIOSocket(channel, NIOLoopBound(replies, eventLoop: channel.eventLoop))
      }
    }
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/echo", headers: ["Host": "localhost"])
    let configuration = NIOTypedHTTPClientUpgradeConfiguration(
      upgradeRequestHead: head, upgraders: [upgrader],
      notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) })
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
      configuration: .init(upgradeConfiguration: configuration))
  }
}

/// Counts the messages that arrive, on the event loop.
private final class Replies: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame

  private var missing = 0
  private var promise: EventLoopPromise<Void>?

  func await(_ count: Int, _ promise: EventLoopPromise<Void>) {
    (missing, self.promise) = (count, promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    precondition(frame.data.readableBytes == 32, "another text")
    missing -= 1
    if missing == 0 { promise?.succeed() }
  }
}
