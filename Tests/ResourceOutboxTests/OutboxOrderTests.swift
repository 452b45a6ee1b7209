import Foundation
import ResourceJSON
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxOrderTests {
  @Test func `entries of one key are sent one after another, others in parallel up to the limit`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 3
    let gate = Gate()
    fixture.transport.stub("*", .status(200).waiting(for: gate))
    let (_, outbox) = try await fixture.open()
    for key in ["a", "b", "c", "d"] {
      for number in 1...3 {
        try await outbox.add(.put("/\(key)/\(number)"), as: OutboxKey(rawValue: key))
      }
    }

    let begun = try await fixture.transport.waitForRequests(count: 3)
    #expect(Set(begun.map { $0.url.path() }) == ["/v1/a/1", "/v1/b/1", "/v1/c/1"])
    gate.open()
    try await outbox.wait(until: \.isEmpty)

    #expect(fixture.transport.peakInFlight == 3)
    for key in ["a", "b", "c", "d"] {
      let numbers = fixture.sent.filter { $0.contains("/\(key)/") }.map { $0.suffix(1) }
      #expect(numbers == ["1", "2", "3"])
    }
  }

  @Test func `an entry waits for all entries that another key has when it is added`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 1
    fixture.transport.stub("*", .status(200))
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    try await outbox.add(.put("/a/1"), as: "a")
    try await outbox.add(.put("/a/2"), as: "a")
    try await outbox.add(.put("/b"), as: "b", after: "a", "nothing")
    try await outbox.add(.put("/c"), as: "c")
    #expect(try await outbox.currentEntries().map(\.isBlocked) == [false, true, true, false])
    try await outbox.resume()

    try await outbox.wait(until: \.isEmpty)

    let sent = fixture.sent.map { $0.dropFirst(8) }
    let (first, second) = (sent.firstIndex(of: "a/1"), sent.firstIndex(of: "a/2"))
    #expect(sent.count == 4)
    #expect(try #require(first) < #require(second))
    #expect(try #require(second) < #require(sent.firstIndex(of: "b")))
  }

  @Test func `a random net of dependencies is sent in an order that respects each`()
    async throws
  {
    for seed in 0..<4 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var fixture = try OutboxFixture()
      fixture.settings.maximumConcurrency = 4
      fixture.transport.stub("*", .status(200))
      let (_, outbox) = try await fixture.open()
      try await outbox.pause()
      var added: [(key: Int, after: Set<Int>)] = []
      for number in 0..<60 {
        let key = Int.random(in: 0..<8, using: &generator)
        let after = Set((0..<2).map { _ in Int.random(in: 0..<8, using: &generator) })
        let receipt = try await outbox.add(.put("/\(number)"), as: "\(key)") {
          $0.after = after.map { "\($0)" }
        }
        if number % 7 == 6 { try await outbox.drop(#require(receipt.id)) }
        added.append((key, number % 7 == 6 ? [] : after))
      }
      try await outbox.resume()
      try await outbox.wait { $0.allSatisfy { $0.state == .parked || $0.isBlocked } }

      let sent = fixture.sent.compactMap { Int($0.dropFirst(8)) }
      let parked = try await outbox.currentEntries()
      #expect(sent.count + parked.count == 60 - 8)
      let places = Dictionary(uniqueKeysWithValues: sent.enumerated().map { ($1, $0) })
      for (number, place) in places {
        for earlier in sent where earlier < number {
          let isNeeded =
            added[earlier].key == added[number].key
            || added[number].after.contains(added[earlier].key)
          if isNeeded { #expect(try #require(places[earlier]) < place, "\(seed) \(number)") }
        }
      }
      await outbox.close()
    }
  }

  @Test func `an id from the server is inserted into later requests`() async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub(
      "POST /v1/issues",
      .response(
        status: 201, headers: [.location: "/v1/issues/a%20b"],
        body: Data(#"{"data": [{"number": 17}]}"#.utf8)))
    fixture.transport.stub("*", .status(200))
    let (_, outbox) = try await fixture.open()
    try await outbox.pause()
    let (number, place) = (OutboxPlaceholder(), OutboxPlaceholder())
    try await outbox.add(.post("/issues"), as: "issue") {
      $0.placeholders = [number: .json("/data/0/number"), place: .location]
    }
    try await outbox.add(
      Request.post("/issues/\(number)/comments").query(["in": "\(place)"])
        .json(["issue": "\(number)", "text": "see #\(number) in \(place)"]), as: "comment")
    try await outbox.add(.post("/form").form(["issue": "\(place)"]), as: "form")
    await #expect(throws: LoadError.self) {
      try await outbox.add(.put("/\(OutboxPlaceholder())"), as: "unknown")
    }
    #expect(try await outbox.value(of: number) == nil)
    try await outbox.resume()

    try await outbox.wait(until: \.isEmpty)

    let requests = fixture.transport.requests
    let comment = try #require(requests.first { $0.url.path().hasSuffix("comments") })
    let form = try #require(requests.first { $0.url.path().hasSuffix("form") })
    let text = try comment.body?.data() ?? Data()
    let body = try JSONDecoder().decode([String: JSONValue].self, from: text)
    #expect(requests.first?.url.path() == "/v1/issues")
    #expect(comment.url.path() == "/v1/issues/17/comments")
    #expect(comment.url.query() == "in=a%20b")
    #expect(body == ["issue": .number(17), "text": .string("see #17 in a b")])
    #expect(try form.body?.data() == Data("issue=a%20b".utf8))
    #expect(try await outbox.value(of: number) == "17")
    // It is known from now on.
    let later = try await outbox.add(.put("/issues/\(number)"), as: "issue")
    _ = try await later.answer()
    #expect(fixture.sent.last == "PUT /v1/issues/17")
  }

  @Test func `an entry without its value is parked and can be corrected`() async throws {
    let fixture = try OutboxFixture()
    fixture.transport.stub("*", .json("{}"))
    let (_, outbox) = try await fixture.open()
    let number = OutboxPlaceholder()
    try await outbox.pause()
    try await outbox.add(.post("/issues"), as: "issue") { $0.placeholders = [number: .json("/id")] }
    let second = try await outbox.add(.put("/issues/\(number)"), as: "comment")
    try await outbox.resume()

    let error = await #expect(throws: LoadError.self) { try await second.answer() }
    #expect(error?.kind == .outbox)
    try await outbox.retry(#require(second.id))
    try await outbox.wait { $0.first?.state == .parked }
    let corrected = try await outbox.correct(#require(second.id), with: .put("/issues/5"))
    _ = try await #require(corrected).answer()

    #expect(fixture.sent == ["POST /v1/issues", "PUT /v1/issues/5"])
  }
}
