#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceValkey

  /// Connections with TLS.
  @Suite(
    .needsServer, .inTurn, .timeLimit(.minutes(15)),
    .enabled(if: TLSAuthority.isAvailable, "OpenSSL isn't installed"))
  struct EncryptionTests {
    /// A server with TLS that has the certificate `good` for 127.0.0.1.
    private struct EncryptedServer {
      let authority: TLSAuthority
      let server: TestServer
      let port: Int

      init(certificate: String = "good", asksForCertificate: Bool = false) throws {
        let authority = try TLSAuthority.withServer()
        try authority.issue("other", for: "DNS:other.example")
        try authority.issue("member", for: "DNS:member.example")
        func path(_ name: String) -> String { authority.file(name).path(percentEncoded: false) }
        self.authority = authority
        (server, port) = try TestServer.listening([
          "--tls-cert-file", path("\(certificate).pem"), "--tls-key-file",
          path("\(certificate).key"), "--tls-ca-cert-file", path("ca.pem"), "--tls-auth-clients",
          asksForCertificate ? "yes" : "no", "--tls-port",
        ])
      }

      var trusting: TLSOptions {
        var options = TLSOptions()
        options.trustsSystem = false
        options.additionalAuthorities = [.file(authority.file("ca.pem"))]
        return options
      }

      func certificate(_ name: String) -> TLSOptions.ClientCertificate {
        .init(
          certificate: .file(authority.file("\(name).pem")),
          privateKey: .file(authority.file("\(name).key")))
      }

      func connect(
        _ options: TLSOptions?, _ configure: (inout ValkeySettings) -> Void = { _ in }
      ) -> ValkeyServer {
        ValkeyServer(.host("127.0.0.1", port: port)) {
          $0.tls = options
          $0.timeLimit = .seconds(20)
          $0.connectTimeLimit = .seconds(20)
          configure(&$0)
        }
      }

      /// The number of keys on the server.
      func keyCount() async throws -> Int64? {
        try await server.connect().run { _ in [Command("DBSIZE")] }?.first?.integer
      }
    }

    private func service(_ server: ValkeyServer) -> CachedService {
      let service = CachedService(ValkeyResponseStorage(server)) { $0.clock = ContinuousClock() }
      service.transport.stub("GET *", CachedService.fresh("of the server"))
      return service
    }

    private let key = CacheKey(url: "https://example.org/a", partition: .anonymous)

    @Test func `responses of all sizes are shared over encrypted connections`() async throws {
      let server = try EncryptedServer()
      let storages = (0..<2).map { _ in
        ValkeyResponseStorage(server.connect(server.trusting), maximumResponseSize: 8 << 20)
      }
      for size in [0, 1, 16_383, 16_384, 200_000, 5_000_000] {
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let response = CacheExchange.stored(["X-Size": "\(size)"], body: body)
        try await storages[0].remove(.entry(key))

        try await storages[0].store(response, for: key)

        #expect(try await storages[1].responses(for: key) == [response])
      }
    }

    @Test func `many tasks share a few encrypted connections`() async throws {
      let server = try EncryptedServer()
      let storage = ValkeyResponseStorage(server.connect(server.trusting))

      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let key = CacheKey(url: "https://example.org/\(number)", partition: .anonymous)
            let response = CacheExchange.stored(
              ["X-Number": "\(number)"], body: Data(repeating: 1, count: number * 200))
            try await storage.store(response, for: key)
            #expect(try await storage.responses(for: key) == [response])
          }
        }
        try await group.waitForAll()
      }
    }

    private enum Fault: CaseIterable {
      case unknownAuthority, otherName, otherKey, noEncryption, noCertificate
    }

    /// A server that can't be used with the options.
    private func faulty(_ fault: Fault) throws -> (EncryptedServer, TLSOptions?) {
      switch fault {
      case .unknownAuthority: return (try EncryptedServer(), TLSOptions())
      case .otherName:
        let server = try EncryptedServer(certificate: "other")
        return (server, server.trusting)
      case .otherKey:
        let server = try EncryptedServer()
        var options = server.trusting
        options.pins = .init(
          try server.authority.pin(of: "other"), backup: try server.authority.pin(of: "member"))
        return (server, options)
      case .noEncryption: return (try EncryptedServer(), nil)
      case .noCertificate:
        let server = try EncryptedServer(asksForCertificate: true)
        return (server, server.trusting)
      }
    }

    @Test(arguments: Fault.allCases)
    private func `a server that can't be trusted gets nothing, and fails no load`(
      _ fault: Fault
    ) async throws {
      let (server, options) = try faulty(fault)
      let service = service(server.connect(options))

      #expect(try await service.load("/a").text == "of the server")
      #expect(try await service.load("/a").text == "of the server")

      #expect(service.transport.requests.count == 2)
      #expect(!service.failures.isEmpty)
      #expect(try await server.keyCount() == 0)
      let reason =
        switch fault {
        case .unknownAuthority: "isn't trusted"
        case .otherName: "is for another name"
        case .otherKey: "pin"
        case .noEncryption, .noCertificate: "can't be used"
        }
      let address = "127.0.0.1:\(server.port)"
      #expect(
        service.failures.allSatisfy { $0.contains(reason) && $0.contains(address) },
        "\(service.failures)")
    }

    @Test func `a server that asks for a certificate gets it`() async throws {
      let server = try EncryptedServer(asksForCertificate: true)
      var options = server.trusting
      options.clientCertificate = server.certificate("member")
      let service = service(server.connect(options))

      for _ in 0..<2 { _ = try await service.load("/a") }

      #expect(service.transport.requests.count == 1)
      #expect(service.failures == [])
    }

    @Test func `an encrypted connection that the server has closed is opened again`() async throws {
      let server = try EncryptedServer()
      let storage = ValkeyResponseStorage(server.connect(server.trusting))
      let response = CacheExchange.stored([:], body: Data("body".utf8))
      try await storage.store(response, for: key)

      let administrator = server.server.connect()
      _ = try await administrator.run { _ in
        [Command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")]
      }

      #expect(try await storage.responses(for: key) == [response])
    }

    @Test func `a server that stops during the handshake or later delays no load for long`()
      async throws
    {
      let server = try EncryptedServer()
      for usesConnection in [false, true] {
        let connection = server.connect(server.trusting) {
          $0.timeLimit = .milliseconds(50)
          $0.connectTimeLimit = .milliseconds(usesConnection ? 20_000 : 50)
          $0.pauses = .seconds(1000) ... .seconds(1000)
        }
        let service = service(connection)
        if usesConnection { _ = try await service.load("/a") }
        server.server.suspend()
        defer { server.server.resume() }

        #expect(try await service.load("/b").text == "of the server")

        #expect(!connection.isAvailable)
        for number in 0..<100 { _ = try await service.load("/\(number)") }
      }
    }

    @Test func `the options of TLS are for hosts only`() async {
      await #expect(processExitsWith: .failure) {
        _ = ValkeyServer(.unixSocket("/none")) { $0.tls = TLSOptions() }
      }
    }
  }
#endif
