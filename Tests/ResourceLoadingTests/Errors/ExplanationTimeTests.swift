import Foundation
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

/// The explanation of an error ends with the load's time.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ExplanationTimeTests {
  /// A clock that advances each time it is read.
  private final class CostlyClock: Clock {
    typealias Instant = ManualClock.Instant

    private let manual = ManualClock()
    private let cost: Duration
    private let looks = Mutex(0)

    init(cost: Duration) { self.cost = cost }

    var now: Instant {
      manual.now.advanced(
        by: cost
          * looks.withLock { looks in
            looks += 1
            return looks
          })
    }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
  }

  private static let body = Data("{\"message\": \"no\", \"token\": \"swordfish\"}".utf8)

  private func explained(
    cost: Duration, timeout: Duration?, headers: Int = 40
  ) throws -> LoadError {
    let request = Request.get(try #require(URL(string: "https://example.org/?token=swordfish")))
    let context = LoadContext(
      request, LoadIdentity(clock: LoadClock(CostlyClock(cost: cost))), timeout: timeout)
    var response = Response(url: request.url, status: 500, body: Self.body)
    for number in 0..<headers {
      response.headers.append(Headers.Name(rawValue: "X-\(number)"), "token=swordfish")
    }
    context.note { $0.receive(response) }
    return try #require(context.explain(LoadError(status: response)) as? LoadError)
  }

  @Test(arguments: [nil, Duration.seconds(1), .zero])
  func `an explanation with enough time has all details`(_ timeout: Duration?) throws {
    let error = try explained(cost: .milliseconds(1), timeout: timeout)

    #expect(error.response?.headers.count == 40)
    #expect(error.response?.body.isEmpty == false)
    #expect(!"\(error)".contains("swordfish"))
  }

  @Test func `an explanation without time has the known details and no secret`() throws {
    let error = try explained(cost: .seconds(60), timeout: .seconds(1))

    #expect(error.kind == .status)
    #expect(error.serverMessage == "no")
    #expect(error.curlCommand == "curl 'https://example.org/?token=<redacted>'")
    #expect(error.response?.status == 500)
    #expect(error.response?.bodySize == Self.body.count)
    #expect(error.response?.headers.isEmpty == true && error.response?.body.isEmpty == true)
    #expect(!"\(error)".contains("swordfish"))
  }

  @Test func `an explanation ends when its time ends`() throws {
    let error = try explained(cost: .milliseconds(20), timeout: .zero, headers: 1000)

    let count = try #require(error.response?.headers.count)
    #expect(count > 0 && count < 10)
    #expect(error.response?.body.isEmpty == true)
  }

  // The input of each step is limited, so that the last one can't take long.
  @Test(arguments: ["a=", "\"token\":", "=", "swordfish", "//", "<token>", "\\u0061", "token: x, "])
  func `an explanation is fast for any response`(_ unit: String) throws {
    let text = String(repeating: unit, count: (1 << 20) / unit.utf8.count)
    let url = try #require(URL(string: "https://example.org/"))
    var request = Request.get(url)
    for number in 0..<64 {
      request.headers.append(Headers.Name(rawValue: "X-\(number)-Token"), "swordfish-\(number)")
    }
    let head = String(text.prefix(200_000))
    let response = Response(
      url: url, status: 500, headers: ["X-Echo": head, .setCookie: head], body: Data(text.utf8))
    let context = LoadContext(request, timeout: .seconds(1))
    context.note { $0.receive(response) }

    let start = Self.processorTime
    _ = context.explain(LoadError(status: response))

    // A debug build takes about twenty times as long as a release build.
    #expect(Self.processorTime - start < 5)
  }

  /// The processor time of this thread in seconds.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
