import Testing

@testable import ResourceLoading

struct ReconnectionTests {
  @Test func `the first stream is opened without a pause, the next after the time that is wanted`()
  {
    var reconnection = Reconnection(maximumFailures: 5)

    #expect(reconnection.open(after: nil) == nil)
    reconnection.received()
    #expect(reconnection.open(after: .milliseconds(10)) == .milliseconds(10))
    reconnection.received()
    #expect(reconnection.open(after: nil) == .seconds(3))
  }

  @Test func `streams without an event are opened at least a growing time apart`() {
    var reconnection = Reconnection(maximumFailures: 5)

    let pauses = (0..<6).map { _ in reconnection.open(after: .zero) }

    #expect(
      pauses
        == [nil, .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)]
        + [.seconds(1)])
  }

  @Test func `pauses grow with the failures, and an event ends that`() {
    var reconnection = Reconnection(maximumFailures: 5)
    _ = reconnection.open(after: nil)

    #expect(reconnection.permits(after: LoadError(.connection, "it broke")) == true)
    #expect(reconnection.open(after: nil) == .seconds(3))
    #expect(reconnection.permits(after: LoadError(.timedOut, "it was silent")) == true)
    #expect(reconnection.open(after: nil) == .seconds(6))
    reconnection.received()
    #expect(reconnection.open(after: nil) == .seconds(3))
  }

  @Test func `no pause is longer than a day`() {
    var reconnection = Reconnection(maximumFailures: 5)
    _ = reconnection.open(after: nil)

    #expect(reconnection.open(after: .seconds(1_000_000)) == .seconds(86_400))
  }

  @Test func `as many failures in a row as are allowed may pass, and no others`() {
    var reconnection = Reconnection(maximumFailures: 2)
    let failure = LoadError(.connection, "it broke")

    #expect(reconnection.permits(after: CancellationError()) == false)
    #expect(reconnection.permits(after: LoadError(.status, "404")) == false)
    #expect((0..<3).map { _ in reconnection.permits(after: failure) } == [true, true, false])
    reconnection.received()
    #expect(reconnection.permits(after: failure) == true)
  }
}
