import Foundation
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct UnservedPortTests {
  @Test func `a refusing port refuses`() throws {
    let port = try UnservedPort(.refusing)

    let failure = #expect(throws: RawClient.Failure.self) {
      try RawClient(port: UInt16(port.port))
    }

    #expect(failure?.isRefused == true)
    #expect(port.url("/a").absoluteString == "http://127.0.0.1:\(port.port)/a")
  }

  @Test func `a silent port leaves clients waiting`() throws {
    let port = try UnservedPort(.silent)

    let failure = #expect(throws: RawClient.Failure.self) {
      try RawClient(port: UInt16(port.port), timeout: .milliseconds(300))
    }

    #expect(failure?.isStillConnecting == true)
  }
}
