import ResourceLoading
import TestSupport
import Testing

/// Status codes by their names.
@Suite(.inTurn)
struct StatusTests {
  @Test(
    arguments: [
      (.continue, 100, "Continue"), (.earlyHints, 103, "Early Hints"), (.created, 201, "Created"),
      (.multiStatus, 207, "Multi-Status"), (.imUsed, 226, "IM Used"),
      (.permanentRedirect, 308, "Permanent Redirect"), (.badRequest, 400, "Bad Request"),
      (.tooManyRequests, 429, "Too Many Requests"),
      (.unavailableForLegalReasons, 451, "Unavailable For Legal Reasons"),
      (.serviceUnavailable, 503, "Service Unavailable"),
      (.networkAuthenticationRequired, 511, "Network Authentication Required"),
    ] as [(Status, Int, String)])
  func `a registered code has a name and a phrase`(_ status: Status, _ code: Int, _ phrase: String)
  {
    #expect(status.rawValue == code)
    #expect(status.description == "\(code) \(phrase)")
  }

  @Test func `a code belongs to one class`() {
    for code in 0..<700 {
      let status = Status(rawValue: code)
      let classes = [
        false, status.isInformational, status.isSuccess, status.isRedirection,
        status.isClientError, status.isServerError, false,
      ]
      let expected = (0...6).map { $0 == code / 100 && (1...5).contains($0) }
      #expect(classes == expected)
    }
  }

  @Test(arguments: [(404, "client"), (500, "server"), (599, "server"), (600, "other")])
  func `a range of codes is a pattern`(_ code: Int, _ name: String) {
    let found =
      switch Status(rawValue: code) {
      case 400...499: "client"
      case 500...599: "server"
      default: "other"
      }

    #expect(found == name)
  }

  @Test func `a code that isn't registered has no phrase`() {
    for code: Status in [0, 105, 299, 306, 418, 430, 509, 599, 1000] {
      #expect(code.reason == nil)
      #expect(code.description == "\(code.rawValue)")
    }
  }
}
