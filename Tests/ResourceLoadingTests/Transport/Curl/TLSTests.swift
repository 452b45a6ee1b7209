#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// The servers that `CurlTransport` trusts, and its errors for others.
  @Suite(
    .inTurn, .timeLimit(.minutes(10)), .serialized,
    .enabled(if: TLSAuthority.isAvailable, "the program openssl isn't installed"))
  struct TLSTests {
    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    /// Loads from a server with a certificate.
    private func load(
      _ certificate: String = "good", serving options: [String] = [],
      _ configure: (inout TLSOptions) throws -> Void = { _ in }
    ) async throws -> Result<String, any Error> {
      let server = try TLSServer(authority, certificate, options: options)
      defer { server.stop() }
      var configuration = authority.trusting
      try configure(&configuration.tls)
      let transport = CurlTransport(configuration)
      let client = Client { $0.transport = transport }
      return await Form.await.load(.text(server.url), with: client)
    }

    private func check(_ result: Result<String, any Error>, says text: String) {
      let error = result.failure as? LoadError
      #expect(error?.kind == .secureConnection)
      #expect(error?.reason.contains(text) == true, "\(String(describing: error))")
    }

    @Test(arguments: [true, false])
    func `an additional authority is trusted`(_ trustsSystem: Bool) async throws {
      let result = try await load { $0.trustsSystem = trustsSystem }

      #expect(try result.get().contains("<HTML>"))
    }

    @Test func `an unknown authority isn't trusted`() async throws {
      check(try await load { $0.additionalAuthorities = [] }, says: "isn't trusted")
    }

    @Test func `a URLSession distinguishes failures of TLS and of the network, too`() async throws {
      let server = try TLSServer(authority, "good", options: [])
      defer { server.stop() }
      let client = Client(.urlSession)

      let result = await Form.await.load(.text(server.url), with: client)

      check(result, says: "TLS failed")
    }

    @Test func `https to a port of http, and http to one of https, have hints`() async throws {
      var configuration = LoopbackServer.Configuration()
      configuration.onAccept = { _ in [.bytes("HTTP/1.1 400 Bad Request\r\n\r\n"), .close] }
      let plain = try LoopbackServer(configuration) { LoopbackRoute("GET /", .status(200)) }
      defer { plain.stop() }
      let secure = try TLSServer(authority, "good", options: [])
      defer { secure.stop() }
      let (port, securePort) = (
        try #require(plain.url().port), try #require(secure.url.port)
      )
      let client = Client { $0.transport = CurlTransport(authority.trusting) }

      let upwards = await #expect(throws: LoadError.self) {
        try await client.load(.text(.get("https://127.0.0.1:\(port)/")))
      }
      let downwards = await #expect(throws: LoadError.self) {
        try await client.load(.text(.get("http://127.0.0.1:\(securePort)/")))
      }

      #expect(upwards?.kind == .secureConnection)
      #expect(upwards?.advice?.contains("use http") == true, "\(String(describing: upwards))")
      #expect(downwards?.kind == .connection)
      #expect(downwards?.advice?.contains("https") == true, "\(String(describing: downwards))")
    }

    @Test func `no server is trusted without authorities`() async throws {
      let result = try await load {
        $0.additionalAuthorities = []
        $0.trustsSystem = false
      }

      check(result, says: "isn't trusted")
    }

    @Test func `authorities that can't be read are an error`() async throws {
      let result = try await load { $0.additionalAuthorities = [.file(authority.file("none.pem"))] }

      check(result, says: "can't be read")
    }

    @Test func `an expired certificate has an error of its own`() async throws {
      try authority.issue("old", for: "IP:127.0.0.1", days: -1)

      check(try await load("old"), says: "has expired")
    }

    @Test func `a certificate for another name has an error of its own`() async throws {
      try authority.issue("other", for: "DNS:other.example")

      check(try await load("other"), says: "for another name")
    }

    @Test func `a pinned key is accepted, another isn't`() async throws {
      let pin = try authority.pin(of: "good")
      let other = Data(count: 32).base64EncodedString()

      let accepted = try await load { $0.pins = .init(other, backup: pin) }
      let refused = try await load { $0.pins = .init(other, backup: other) }

      #expect(try accepted.get().contains("<HTML>"))
      check(refused, says: "pinned")
    }

    @Test func `pinned keys apply until they expire`() async throws {
      let other = Data(count: 32).base64EncodedString()

      let accepted = try await load {
        $0.pins = .init(other, backup: other, expiration: Date(timeIntervalSinceNow: -1))
      }
      let refused = try await load {
        $0.pins = .init(other, backup: other, expiration: Date(timeIntervalSinceNow: 86_400))
      }

      #expect(try accepted.get().contains("<HTML>"))
      check(refused, says: "pinned")
    }

    @Test func `no file gets the keys of connections, in any environment`() async throws {
      let server = try TLSServer(authority, "good")
      defer { server.stop() }

      await #expect(processExitsWith: .success) {
        [url = server.url as URL, folder = authority.folder as URL] in
        Watchdog.endsProcess()
        let log = folder.appending(path: "keys.log")
        setenv("SSLKEYLOGFILE", log.path, 1)
        var configuration = CurlTransport.Configuration()
        configuration.tls.additionalAuthorities = [.file(folder.appending(path: "ca.pem"))]
        let client = Client { $0.transport = CurlTransport(configuration) }
        guard try await client.load(.text(url)).contains("<HTML>"),
          !FileManager.default.fileExists(atPath: log.path)
        else { throw Broken("the keys were written") }
        guard let value = getenv("SSLKEYLOGFILE"), String(cString: value) == log.path else {
          throw Broken("the environment was changed")
        }
      }
    }

    @Test func `a server with an old TLS version is refused`() async throws {
      let result = try await load(serving: ["-tls1_2"]) { $0.minimumVersion = .tls13 }
      let accepted = try await load(serving: ["-tls1_2"])

      check(result, says: "handshake")
      #expect(try accepted.get().contains("<HTML>"))
    }

    @Test func `a client certificate is sent to a server that requests one`() async throws {
      try authority.issue("me", for: "DNS:me.example")
      let asking = ["-Verify", "2", "-verify_return_error", "-CAfile", "ca.pem"]

      let shown = try await load(serving: asking) {
        $0.clientCertificate = .init(
          certificate: .file(authority.file("me.pem")), privateKey: .file(authority.file("me.key")))
      }
      let fromMemory = try await load(serving: asking) {
        $0.clientCertificate = .init(
          certificate: .data(try Data(contentsOf: authority.file("me.pem"))),
          privateKey: .data(try Data(contentsOf: authority.file("me.key"))))
      }
      let hidden = try await load(serving: asking)
      let missing = try await load(serving: asking) {
        $0.clientCertificate = .init(
          certificate: .file(authority.file("none.pem")),
          privateKey: .file(authority.file("none.key")))
      }

      #expect(try shown.get().contains("<HTML>"))
      #expect(try fromMemory.get().contains("<HTML>"))
      #expect((hidden.failure as? LoadError) != nil)
      check(missing, says: "client certificate")
    }

    @Test func `a client certificate in PKCS 12 is sent`() async throws {
      try authority.issue("me", for: "DNS:me.example")
      let pkcs12 = try authority.pkcs12(of: "me", passphrase: "open sesame")
      let asking = ["-Verify", "2", "-verify_return_error", "-CAfile", "ca.pem"]

      let shown = try await load(serving: asking) {
        $0.clientCertificate = .init(pkcs12: pkcs12, passphrase: "open sesame")
      }
      let locked = try await load(serving: asking) {
        $0.clientCertificate = .init(pkcs12: pkcs12, passphrase: "open, sesame")
      }

      #expect(try shown.get().contains("<HTML>"))
      check(locked, says: "client certificate")
    }

    @Test func `a client's configuration has all TLS options for any engine`() async throws {
      try authority.issue("me", for: "DNS:me.example")
      let server = try TLSServer(
        authority, "good",
        options: ["-Verify", "2", "-verify_return_error", "-CAfile", "ca.pem", "-tls1_3"])
      defer { server.stop() }
      let pkcs12 = try authority.pkcs12(of: "me", passphrase: "open sesame")
      let (pin, backup) = (try authority.pin(of: "good"), Data(count: 32).base64EncodedString())
      var configuration = Client.Configuration()
      configuration.tls.trustsSystem = false
      configuration.tls.additionalAuthorities = [.file(authority.file("ca.pem"))]
      configuration.tls.minimumVersion = .tls13
      configuration.tls.clientCertificate = .init(pkcs12: pkcs12, passphrase: "open sesame")
      configuration.tls.pins = .init(pin, backup: backup)
      var strict = configuration
      strict.tls.pins = .init(backup, backup: backup)

      try configuration.check()
      let text = try await Client(configuration).load(.text(server.url))
      let refused = await Form.await.load(.text(server.url), with: Client(strict))

      #expect(text.contains("<HTML>"))
      check(refused, says: "pinned")
    }

    @Test func `the key of a certificate is the one that openssl finds`() throws {
      let names = ["good", "rsa"]
      try authority.issue("rsa", for: "DNS:a.example", key: ["rsa:2048"])

      for name in names {
        let certificates = PEMText.certificates(
          in: try Data(contentsOf: authority.file("\(name).pem")))
        #expect(try certificates.map(PublicKeyInfo.pin) == [authority.pin(of: name)])
      }
    }

    @Test func `a cut or changed certificate has no key or another key`()
      throws
    {
      let pem = try Data(contentsOf: authority.file("good.pem"))
      let whole = try #require(PEMText.certificates(in: pem).first)
      let pin = try authority.pin(of: "good")

      for length in 0..<whole.count {
        #expect(PublicKeyInfo.pin(of: whole.prefix(length)) == nil)
      }
      for index in whole.indices {
        var changed = whole
        for byte: UInt8 in [0x00, 0x30, 0x7F, 0x80, 0x84, 0xFF] {
          changed[index] = byte
          _ = PublicKeyInfo.pin(of: changed)
        }
      }
      #expect(PublicKeyInfo.pin(of: whole) == pin)
    }

    @Test func `no printed value shows a private key or its passphrase`() {
      let certificate = TLSOptions.ClientCertificate(
        certificate: .data(Data("public".utf8)), privateKey: .data(Data("secret".utf8)),
        passphrase: "hunter2")
      var text = "\(certificate) \(String(reflecting: certificate))"
      dump(certificate, to: &text)

      for secret in ["hunter2", "secret", "115"] { #expect(!text.contains(secret)) }
      #expect(text.contains("6 bytes"))
    }
  }
#endif
