#if Curl && os(Linux)
  import Dispatch
  import Foundation
  import Glibc
  import PromiseModule
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct ConnectingTests {
    private func load(
      _ url: URL, _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) async -> Result<String, any Error> {
      var configuration = CurlTransport.Configuration()
      configure(&configuration)
      let transport = CurlTransport(configuration)
      defer { transport.close() }
      return await Form.await.load(.text(url), with: Client { $0.transport = transport })
    }

    /// Responds with the request's target.
    private func makeServer(
      _ address: LoopbackAddress = .ipv4, name: String = "server"
    ) throws -> LoopbackServer {
      var configuration = LoopbackServer.Configuration()
      configuration.address = address
      return try LoopbackServer(configuration) {
        LoopbackRoute("*") { request in
          .response(body: "\(name): \(request.method) \(request.target)")
        }
      }
    }

    @Test(arguments: Engine.allCases.filter { $0 != .urlSession })
    func `an IPv6 literal is a host`(_ engine: Engine) async throws {
      guard let server = try? makeServer(.ipv6) else {
        return print("skipped: there is no IPv6 loopback here")
      }
      defer { server.stop() }

      #expect(server.url().host() == "::1")
      #expect(try await load(server.url("/six")).get() == "server: GET /six")
    }

    @Test func `a Unix domain socket takes the place of every host`() async throws {
      let server = try UnixServer { _ in
        Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
      }
      defer { server.stop() }
      let url = try #require(URL(string: "http://nowhere.invalid/"))

      #expect(try await load(url) { $0.unixSocketPath = server.path }.get() == "ok")
    }

    @Test func `all requests except those to the exceptions go through the proxy`() async throws {
      let (proxy, server) = (try makeServer(name: "proxy"), try makeServer())
      defer {
        proxy.stop()
        server.stop()
      }
      let elsewhere = try #require(URL(string: "http://elsewhere.invalid/a"))
      let configure = { (configuration: inout CurlTransport.Configuration) in
        configuration.proxy = .init(url: proxy.url(), exceptions: ["127.0.0.1"])
      }

      let foreign = try await load(elsewhere, configure).get()
      let excepted = try await load(server.url("/b"), configure).get()

      #expect(foreign == "proxy: GET http://elsewhere.invalid/a")
      #expect(excepted == "server: GET /b")
    }

    @Test func `only the proxy gets its credentials`() async throws {
      let proxy = try LoopbackServer { LoopbackRoute("*") { _ in .status(407) } }
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
      defer {
        proxy.stop()
        server.stop()
      }
      var url = try #require(URLComponents(url: proxy.url(), resolvingAgainstBaseURL: false))
      (url.user, url.password) = ("me", "hunter2")
      let settings = ProxyServer(url: try #require(url.url), exceptions: ["127.0.0.1"])
      let plain = try #require(URL(string: "http://elsewhere.invalid/"))
      let secure = try #require(URL(string: "https://elsewhere.invalid/"))

      let failures = [
        await load(plain) { $0.proxy = settings }.failure,
        await load(secure) { $0.proxy = settings }.failure,
      ]
      _ = try await load(server.url()) { $0.proxy = settings }.get()

      let sent = proxy.requests.map { $0.header("Proxy-Authorization") }
      #expect(sent == ["Basic bWU6aHVudGVyMg==", "Basic bWU6aHVudGVyMg=="])
      #expect(server.requests.map { $0.header("Proxy-Authorization") } == [nil])
      var text = failures.map { "\(String(describing: $0)) \(String(reflecting: $0))" }.joined()
      text += "\(settings) \(String(reflecting: settings))"
      dump(settings, to: &text)
      for secret in ["hunter2", "bWU6"] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test func `the error names a proxy that refuses a tunnel`() async throws {
      let proxy = try LoopbackServer { LoopbackRoute("*") { _ in .status(403) } }
      defer { proxy.stop() }
      let url = try #require(URL(string: "https://elsewhere.invalid/"))

      let failure = await load(url) { $0.proxy = .init(url: proxy.url()) }.failure as? LoadError

      #expect(failure?.kind == .connection)
      #expect(failure?.reason.hasPrefix("the proxy refused") == true)
      #expect(failure?.reason.contains("403") == true, "\(String(describing: failure))")
      #expect(failure?.advice == "Check the proxy and its credentials")
    }

    @Test func `no proxy comes from the environment`() async throws {
      let server = try makeServer()
      defer { server.stop() }

      await #expect(processExitsWith: .success) { [url = server.url() as URL] in
        Watchdog.endsProcess()
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
          setenv(name, "http://127.0.0.1:1", 1)
        }
        guard try await Client().load(.text(url)) == "server: GET /" else { throw Broken("no") }
      }
    }

    @Test func `connecting has a time limit`() async throws {
      let port = try UnservedPort(.silent)

      let failure = await load(port.url()) { $0.connectTimeout = .milliseconds(100) }.failure

      #expect((failure as? LoadError)?.kind == .timedOut)
      #expect((failure as? LoadError)?.advice == "Raise the transport's connectTimeout")
    }

    @Test func `the lookup of a cancelled load doesn't delay other loads`() async throws {
      let server = try makeServer()
      defer { server.stop() }

      await #expect(processExitsWith: .success) { [url = server.url() as URL] in
        Watchdog.endsProcess()
        let outcome = Promise<Bool?>.pending()
        // The thread's changes of the file system apply to it and the threads that it starts.
        Thread.detachNewThread {
          outcome.resolver.resolve(
            Result { try SilentNameServer.load(url, afterCancelling: "name.example") })
        }
        switch try await outcome.promise.value {
        case true: break
        case nil: print("skipped: /etc/resolv.conf can't be replaced here")
        default: throw Broken("the load waited for the name of the other one")
        }
      }
    }

    @Test(arguments: [true, false])
    func `loads fail without free descriptors and work again with some`(
      _ isFirstLoad: Bool
    ) async throws {
      let (first, second) = (try makeServer(), try makeServer())
      defer {
        first.stop()
        second.stop()
      }

      await #expect(processExitsWith: .success) {
        [first = first.url() as URL, second = second.url() as URL, isFirstLoad] in
        Watchdog.endsProcess()
        let (client, other) = (Client(), Client())
        // A running engine lacks a socket, a new one its own descriptors. Another client always
        // loads first, because Dispatch ends a process without a descriptor for its first timer.
        _ = try await (isFirstLoad ? other : client).load(.text(first))
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        let usual = limit.rlim_cur
        // Open descriptors stay open, but no more can be opened.
        limit.rlim_cur = 0
        setrlimit(resource, &limit)

        do {
          _ = try await client.load(.text(second))
          throw Broken("there was a descriptor")
        } catch let error as LoadError {
          guard error.kind == .connection, error.isUnsent,
            error.advice?.contains("descriptors") == true
          else {
            throw Broken("\(error)")
          }
        }
        limit.rlim_cur = usual
        setrlimit(resource, &limit)
        guard try await client.load(.text(second)) == "server: GET /" else { throw Broken("no") }
      }
    }
  }

  /// A name server that never responds.
  private enum SilentNameServer {
    /// Cancels a request during the lookup of its host, and sends another one. Returns whether that
    /// got a response; `nil` if the process may not use a name server of its own.
    static func load(_ url: URL, afterCancelling host: String) throws -> Bool? {
      let server = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      defer { close(server) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(53).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_004D).bigEndian  // 127.0.0.77
      let isBound = withUnsafePointer(to: address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      let file = try TemporaryFile("nameserver 127.0.0.77\noptions timeout:30 attempts:1\n")
      guard isBound, leavesMounts(),
        mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0,
        mount(file.url.path, "/etc/resolv.conf", nil, UInt(MS_BIND), nil) == 0
      else { return nil }
      let transport = CurlTransport()
      defer { transport.close() }

      let unknown = URL(string: "http://\(host)/") ?? url
      let lookup = transport.start(try WireRequest(Request(url: unknown)), receiver: ExchangeLog())
      var query = [UInt8](repeating: 0, count: 512)
      var limit = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      // Without a query the system uses other sources.
      guard recv(server, &query, query.count, 0) > 0 else { return nil }
      lookup.cancel()
      let log = ExchangeLog()
      _ = transport.start(try WireRequest(Request(url: url)), receiver: log)

      let ended = DispatchSemaphore(value: 0)
      Task {
        _ = await log.end()
        ended.signal()
      }
      return ended.wait(timeout: .now() + 15) == .success && log.record.failure == nil
    }

    /// Gives the calling thread its own mounts, where that is permitted.
    private static func leavesMounts() -> Bool {
      guard let symbol = dlsym(nil, "unshare") else { return false }
      let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
      return unshare(0x0002_0000) == 0  // CLONE_NEWNS
    }
  }
#endif
