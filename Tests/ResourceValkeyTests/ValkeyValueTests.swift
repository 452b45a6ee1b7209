#if Valkey && os(Linux)
  import CacheTestSupport
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceTesting
  import Testing

  @testable import ResourceValkey

  /// What needs no server.
  struct ValkeyValueTests {
    @Test func `a command has the lengths of its arguments in bytes`() {
      let command = Command("SET", .text("ä"), .data(Data([0, 13, 10])), .integer(-5))

      #expect(
        command.bytes
          == Array("*4\r\n$3\r\nSET\r\n$2\r\nä\r\n$3\r\n\0\r\n\r\n$2\r\n-5\r\n".utf8))
    }

    @Test func `after failures in a row the pauses double up to a limit, and a success ends them`()
    {
      var availability = Availability(pauses: .milliseconds(100) ... .seconds(1))
      var now = ContinuousClock.now
      for pause in [100, 200, 400, 800, 1000, 1000] {
        availability.noteFailure(at: now, jitter: 1)
        #expect(availability.use(at: now + .milliseconds(pause - 1)) == .unavailable)
        now += .milliseconds(pause)
        #expect(availability.use(at: now) == .dueForTrial)
        #expect(availability.use(at: now) == .unavailable)
      }
      availability.noteSuccess()
      #expect(availability.use(at: now) == .available)
      availability.noteFailure(at: now, jitter: 0)
      availability.noteFailure(at: now + .milliseconds(49), jitter: 0)
      #expect(availability.use(at: now + .milliseconds(50)) == .dueForTrial)
    }

    @Test func `damaged bytes are no response`() throws {
      let key = CacheKey(url: CacheExchange.url.absoluteString, partition: .anonymous)
      let response = CacheExchange.stored(
        [.vary: "Accept", "X": "y"], body: Data("body".utf8), selecting: [.accept: "a"])
      let bytes = response.storedBytes(for: key)
      #expect(StoredResponse(storedBytes: bytes, for: key) == response)

      for count in 0..<bytes.count {
        #expect(StoredResponse(storedBytes: bytes.prefix(count), for: key) == nil)
      }
      var random = SeededGenerator(seed: 1)
      for index in bytes.indices {
        var damaged = bytes
        damaged[index] ^= UInt8.random(in: 1...255, using: &random)
        #expect(StoredResponse(storedBytes: damaged, for: key) == nil)
      }
      let other = CacheKey(url: key.url + "b", partition: .anonymous)
      #expect(StoredResponse(storedBytes: bytes, for: other) == nil)
    }

    @Test func `an address is printed as its path, or its host and port`() {
      #expect("\(ValkeyAddress.unixSocket("/a/b"))" == "/a/b")
      #expect("\(ValkeyAddress.host("a.org", port: 7000))" == "a.org:7000")
    }

    @Test func `settings are printed without the password`() {
      var settings = ValkeySettings()
      settings.password = "planted"
      var text = ""
      dump(settings, to: &text)
      #expect(!"\(settings)\(text)".contains("planted") && text.contains("hasPassword: true"))
    }
  }
#endif
