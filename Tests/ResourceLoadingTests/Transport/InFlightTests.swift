import Testing

@testable import ResourceLoading

@Suite struct InFlightTests {
  private final class Entry: Sendable {}

  @Test func `only one value per key is in flight`() {
    var inFlight = InFlight<String, Entry>()
    let (one, other) = (Entry(), Entry())

    #expect(inFlight.begin(one, for: "a") === one)
    #expect(inFlight.begin(other, for: "a") === one)
    #expect(inFlight.begin(other, for: "b") === other)
    #expect(inFlight.all.count == 2)
  }

  @Test func `ending a value doesn't remove a newer one`() {
    var inFlight = InFlight<String, Entry>()
    let (old, new) = (Entry(), Entry())
    _ = inFlight.begin(old, for: "a")
    inFlight.end(old, for: "a")
    _ = inFlight.begin(new, for: "a")

    inFlight.end(old, for: "a")

    #expect(inFlight["a"] === new)
    #expect(inFlight.end("a") === new)
    #expect(inFlight.all.count == 0)
  }

  @Test func `a closed register accepts nothing but keeps its values until they end`() {
    var inFlight = InFlight<String, Entry>()
    let entry = Entry()
    _ = inFlight.begin(entry, for: "a")

    let closed = inFlight.close()

    #expect(closed.count == 1 && closed.first === entry)
    #expect(inFlight.begin(Entry(), for: "b") == nil)
    #expect(inFlight["a"] === entry)
    #expect(inFlight.close().isEmpty)
  }
}
