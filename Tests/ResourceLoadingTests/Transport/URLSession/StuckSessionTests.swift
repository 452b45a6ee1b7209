#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import PromiseModule
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  /// All sessions of a process share a queue on Linux. Here a body that another part of the program
  /// sends blocks it; the lookup of a name can block it, too.
  @Suite(.timeLimit(.minutes(15)))
  struct StuckSessionTests {
    @Test func `loads end in time although all sessions are blocked`() async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
      defer { server.stop() }

      await #expect(processExitsWith: .success) { [url = server.url() as URL] in
        Watchdog.endsProcess()
        let isRead = Promise<Void>.pending()
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBodyStream = StuckBody(isRead.resolver)
        URLSession(configuration: .ephemeral).dataTask(with: request).resume()
        try await isRead.promise.value

        // More than the number of threads for all tasks.
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: Void.self) { group in
          for index in 0..<count {
            let loader: any Loader = index % 2 == 0 ? URLSession.shared : Client(over: .init())
            group.addTask {
              do {
                try await loader.load(.void(Request(url: url).timeout(.milliseconds(200))))
                throw Broken("nothing was stuck")
              } catch let error as LoadError where error.kind == .timedOut {}
            }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  extension Client {
    fileprivate convenience init(over transport: URLSessionTransport) {
      self.init { $0.transport = transport }
    }
  }

  /// A body that is never read to its end.
  private final class StuckBody: InputStream {
    private let isRead: Promise<Void>.Resolver

    init(_ isRead: Promise<Void>.Resolver) {
      self.isRead = isRead
      super.init(data: Data())
    }

    override func open() {}
    override func close() {}
    override var streamStatus: Stream.Status { .open }
    override var hasBytesAvailable: Bool { true }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
      isRead.fulfill(())
      while true { sleep(1_000) }
    }
  }
#endif
