import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The stream format of WHATWG HTML section 9.2.6, with its own examples.
@Suite(.inTurn)
struct ServerSentEventParserTests {
  private func events(_ text: String) throws -> [ServerSentEvent] {
    var (splitter, parser) = (LineSplitter(limit: 1000), ServerSentEventParser(limit: 1000))
    return try splitter.split(Data(text.utf8)).compactMap { try parser.take($0) }
  }

  private static let table: [(text: String, events: [ServerSentEvent])] = [
    (
      "data: YHOO\ndata: +2\ndata: 10\n\n", [.init(data: "YHOO\n+2\n10")]
    ),
    (
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [
        .init(data: "first event", lastEventID: "1"), .init(data: "second event"),
        .init(data: " third event"),
      ]
    ),
    ("data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
    ("data:test\n\ndata: test\n\n", [.init(data: "test"), .init(data: "test")]),
    (
      "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
      [
        .init(type: "add", data: "73857293"), .init(type: "remove", data: "2153"),
        .init(type: "add", data: "113411"),
      ]
    ),
    ("data: x\r\n\r\n", [.init(data: "x")]), ("\u{FEFF}data: x\ndata: y\n\n", [.init(data: "y")]),
    ("data: x\r\r", [.init(data: "x")]), ("data: unfinished\n", []),
    ("id: 1\n\ndata: x\n\n", [.init(data: "x", lastEventID: "1")]),
    ("id: a\u{0}b\ndata: x\n\n", [.init(data: "x")]),
    ("event: lost\n\ndata: x\n\n", [.init(data: "x")]),
    ("unknown: y\ndata: x\nDATA: z\n data: z\n\n", [.init(data: "x")]),
    ("data: a: b\n\n", [.init(data: "a: b")]),
  ]

  @Test(arguments: table.indices)
  func `events are parsed from lines`(_ row: Int) throws {
    #expect(try events(Self.table[row].text) == Self.table[row].events)
  }

  @Test(
    arguments: [
      ("retry: 250", 250), ("retry:0", 0), ("retry: -1", nil), ("retry: 1.5", nil), ("retry:", nil),
      ("retry: soon", nil), ("retry: 99999999999999999999", nil),
    ] as [(String, Int?)])
  func `the delay before reopening has to consist of digits`(_ line: String, _ milliseconds: Int?)
    throws
  {
    var parser = ServerSentEventParser(limit: 1000)

    #expect(try parser.take(Data(line.utf8)) == nil)
    #expect(parser.reconnectionTime == milliseconds.map { .milliseconds($0) })
  }

  @Test func `an event beyond the limit is an error, many small events and comments aren't`() throws
  {
    func take(_ text: String, limit: Int) throws -> Int {
      var (splitter, parser) = (LineSplitter(limit: 1000), ServerSentEventParser(limit: limit))
      return try splitter.split(Data(text.utf8)).reduce(0) { count, line in
        try count + (parser.take(line) == nil ? 0 : 1)
      }
    }

    #expect(try take("data: 12\nid: 12\n\n", limit: 14) == 1)
    #expect(try take(String(repeating: "data: 12\nid: 12\n\n", count: 100), limit: 14) == 100)
    #expect(try take(String(repeating: ": comment\n", count: 100) + "data\n\n", limit: 14) == 1)
    let error = #expect(throws: LoadError.self) { try take("data: 12\nid: 123\n\n", limit: 14) }
    #expect(error?.kind == .tooLarge)
    #expect(throws: LoadError.self) {
      try take(String(repeating: "data\n", count: 100), limit: 100)
    }
  }

  @Test func `an event of many lines takes linear time`() throws {
    func processorTime(_ count: Int) throws -> Duration {
      let lines = Data(String(repeating: "data:x\n", count: count).utf8)
      return try (0..<3).map { _ in
        var (splitter, parser) = (
          LineSplitter(limit: 1000), ServerSentEventParser(limit: 100_000_000)
        )
        let start = Self.threadTime
        for line in try splitter.split(lines) { _ = try parser.take(line) }
        #expect(try parser.take(Data())?.data.utf8.count == 2 * count - 1)
        return Self.threadTime - start
      }.min() ?? .zero
    }

    // 8 times as many lines should take 8 times as long, or 64 times if each line copied all before
    // it.
    #expect(try processorTime(320_000) < processorTime(40_000) * 24)
  }

  /// The processor time of this thread, so that others don't count.
  private static var threadTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
