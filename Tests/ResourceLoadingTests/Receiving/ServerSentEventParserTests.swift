import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

/// The stream format of WHATWG HTML section 9.2.6, with its own examples.
@Suite(.inTurn)
struct ServerSentEventParserTests {
  private func events(_ text: String) throws -> [ServerSentEvent] {
    var (splitter, parser) = (LineSplitter(limit: 1000), ServerSentEventParser())
    return try splitter.split(Data(text.utf8)).compactMap { parser.take($0) }
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
    ("\u{FEFF}data: x\n\n", [.init(data: "x")]), ("data: x\r\n\r\n", [.init(data: "x")]),
    ("data: x\r\r", [.init(data: "x")]), ("data: unfinished\n", []),
    ("id: 1\n\ndata: x\n\n", [.init(data: "x", lastEventID: "1")]),
    ("id: a\u{0}b\ndata: x\n\n", [.init(data: "x")]),
    ("event: lost\n\ndata: x\n\n", [.init(data: "x")]),
    ("unknown: y\ndata: x\nDATA: z\n data: z\n\n", [.init(data: "x")]),
    ("data: a: b\n\n", [.init(data: "a: b")]),
  ]

  @Test(arguments: table.indices)
  func `events come from their lines`(_ row: Int) throws {
    #expect(try events(Self.table[row].text) == Self.table[row].events)
  }

  @Test(
    arguments: [
      ("retry: 250", 250), ("retry:0", 0), ("retry: -1", nil), ("retry: 1.5", nil), ("retry:", nil),
      ("retry: soon", nil), ("retry: 99999999999999999999", nil),
    ] as [(String, Int?)])
  func `the time before opening again is in digits`(_ line: String, _ milliseconds: Int?) {
    var parser = ServerSentEventParser()

    #expect(parser.take(Data(line.utf8)) == nil)
    #expect(parser.reconnectionTime == milliseconds.map { .milliseconds($0) })
  }
}
