#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct AddressTests {
    private func load(
      _ url: URL, _ addresses: CurlTransport.AddressPolicy,
      _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) async -> Result<String, any Error> {
      var configuration = CurlTransport.Configuration()
      configuration.addresses = addresses
      configure(&configuration)
      let transport = CurlTransport(configuration)
      defer { transport.close() }
      return await Form.await.load(.text(url), with: Client { $0.transport = transport })
    }

    @Test(arguments: ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
    func `there is no connection to a private address in any notation`(_ host: String) async throws
    {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "secret") } }
      defer { server.stop() }
      let url = try #require(URL(string: "http://\(host):\(server.port)/"))

      let error = await load(url, .publicOnly).failure as? LoadError

      #expect(error?.kind == .address, "\(String(describing: error))")
      #expect(server.statistics.accepted == 0)
    }

    @Test func `a redirect to a private address is refused`() async throws {
      let inner = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "secret") } }
      let outer = try LoopbackServer {
        LoopbackRoute("*") { _ in .redirect(to: "http://127.0.0.2:\(inner.port)/") }
      }
      defer {
        inner.stop()
        outer.stop()
      }

      let error = await load(outer.url(), .publicOnly(and: ["127.0.0.1"])).failure as? LoadError

      #expect(error?.kind == .address)
      #expect(outer.requests.count == 1)
      #expect(inner.statistics.accepted == 0)
    }

    @Test
    func `a refused address doesn't explain a failure on another connection`()
      async throws
    {
      let server = try LoopbackServer {
        LoopbackRoute("*") { _ in [.head(headers: ["Content-Length": "9"]), .bytes("a"), .close] }
      }
      defer { server.stop() }
      // libcurl always tries ::1 and then 127.0.0.1 for it.
      let url = try #require(URL(string: "http://localhost:\(server.port)/"))

      let error = await load(url, .publicOnly(and: ["127.0.0.1"])).failure as? LoadError

      #expect(error?.kind == .connection)
      #expect(error?.reason.contains("before the body was whole") == true, "\(error?.reason ?? "")")
    }

    @Test func `exceptions are allowed, and so is everything by default`() async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
      defer { server.stop() }

      #expect(try await load(server.url(), .any).get() == "ok")
      #expect(try await load(server.url(), .publicOnly(and: ["127.0.0.0/8"])).get() == "ok")
      #expect(await load(server.url(), .publicOnly(and: ["10.0.0.0/8", "x"])).failure != nil)
    }

    @Test func `filtering addresses behind a proxy is an error`() async throws {
      let url = try #require(URL(string: "http://127.0.0.1:1/"))

      let error =
        await load(url, .publicOnly) { $0.proxy = .init(url: url) }.failure as? LoadError

      #expect(error?.kind == .invalidRequest)
      #expect(error?.reason.contains("proxy") == true)
    }

    @Test(arguments: [
      ("8.8.8.8", true), ("93.184.215.14", true), ("172.32.0.1", true), ("100.128.0.1", true),
      ("2606:4700::1111", true), ("::ffff:8.8.8.8", true), ("2002:808:808::1", true),
      ("64:ff9b::8.8.8.8", true), ("0.0.0.0", false), ("10.255.255.255", false),
      ("100.64.0.1", false), ("127.0.0.1", false), ("169.254.169.254", false),
      ("172.16.0.1", false), ("172.31.255.255", false), ("192.168.1.1", false),
      ("198.19.0.1", false), ("224.0.0.1", false), ("255.255.255.255", false), ("::", false),
      ("::1", false), ("::127.0.0.1", false), ("fe80::1", false), ("fd00::1", false),
      ("fec0::1", false), ("ff02::1", false), ("2001:db8::1", false), ("2001::1", false),
      ("::ffff:10.0.0.1", false), ("64:ff9b::127.0.0.1", false), ("64:ff9b:1::8.8.8.8", false),
      ("2002:7f00:1::1", false), ("fd00:ec2::254", false),
    ])
    func `an address is recognized as public or private`(_ text: String, _ isPublic: Bool) {
      #expect(IPAddress(text)?.isPublic == isPublic)
    }

    @Test func `a network contains the addresses with its prefix`() throws {
      let network = try #require(IPNetwork("10.1.128.0/17"))

      #expect(network.contains(try #require(IPAddress("10.1.200.3"))))
      #expect(!network.contains(try #require(IPAddress("10.1.127.255"))))
      #expect(!network.contains(try #require(IPAddress("::1"))))
      for text in ["", "10.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "x"] {
        #expect(IPNetwork(text) == nil, "\(text)")
      }
    }
  }
#endif
