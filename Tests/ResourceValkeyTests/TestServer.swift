#if Valkey && os(Linux)
  import Foundation
  import Glibc
  import ResourceValkey
  import Synchronization
  import Testing

  /// A server of Valkey or Redis that a test starts on a socket in a folder of its own.
  final class TestServer: Sendable {
    let path: String
    private let folder: URL
    private let arguments: [String]
    private let process = Mutex<Process?>(nil)

    /// The server's program; `nil` if none is installed.
    static let program = ["valkey-server", "redis-server"].lazy
      .flatMap { name in ["/usr/bin", "/usr/local/bin"].map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }

    convenience init(_ arguments: String...) throws { try self.init(arguments: arguments) }

    init(arguments: [String]) throws {
      folder = FileManager.default.temporaryDirectory
        .appending(path: "valkey-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      path = folder.appending(path: "s").path(percentEncoded: false)
      self.arguments = arguments
      try start()
    }

    /// Starts a server that also listens on a port of 127.0.0.1.
    ///
    /// - Parameter arguments: Those before the number of the port, such as `--port`.
    static func listening(_ arguments: [String]) throws -> (TestServer, port: Int) {
      for _ in 0..<10 {
        let port = try #require(freePort())
        // Another program may have taken it.
        if let server = try? TestServer(arguments: arguments + ["\(port)", "--bind", "127.0.0.1"]) {
          return (server, port)
        }
      }
      throw CancellationError()
    }

    private static func freePort() -> Int? {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(listener) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
        }
      }
      return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the server, and waits until it accepts connections.
    func start() throws {
      let process = Process()
      process.executableURL = URL(filePath: try #require(Self.program))
      process.arguments =
        [
          "--port", "0", "--unixsocket", path, "--dir", folder.path(percentEncoded: false),
          "--save", "", "--appendonly", "no", "--loglevel", "notice",
        ] + arguments
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      self.process.withLock { $0 = process }
      var log = ""
      while !log.lowercased().contains("ready to accept connections") {
        let data = output.fileHandleForReading.availableData
        try #require(!data.isEmpty, "the server ends: \(log)")
        log += String(decoding: data, as: UTF8.self)
      }
    }

    func kill() { send(SIGKILL, waiting: true) }

    /// Stops the server without ending it: it accepts connections and doesn't respond.
    func suspend() { send(SIGSTOP) }

    func resume() { send(SIGCONT) }

    private func send(_ signal: Int32, waiting: Bool = false) {
      process.withLock { process in
        guard let running = process else { return }
        Glibc.kill(running.processIdentifier, signal)
        guard waiting else { return }
        running.waitUntilExit()
        process = nil
      }
    }

    func connect(_ configure: (inout ValkeySettings) -> Void = { _ in }) -> ValkeyServer {
      // Other tests may keep the processors busy for longer than the default limits allow.
      ValkeyServer(.unixSocket(path)) {
        $0.timeLimit = .seconds(20)
        $0.connectTimeLimit = .seconds(20)
        configure(&$0)
      }
    }
  }

  extension Trait where Self == ConditionTrait {
    /// Skips a suite, and says so, where no server is installed.
    static var needsServer: ConditionTrait {
      .enabled(
        if: TestServer.program != nil, "neither valkey-server nor redis-server is installed")
    }
  }
#endif
