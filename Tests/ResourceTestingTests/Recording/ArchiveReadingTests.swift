import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The variations in the HAR files of different programs.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ArchiveReadingTests {
  private func archive(
    request: String = "", response: String = #""status": 200"#, entry: String = ""
  ) throws -> HTTPArchive {
    try HTTPArchive(
      data: Data(
        """
        {"log": {"version": "1.2", "creator": {"name": "another", "version": "7"}, "entries": [
          {"request": {"method": "POST", "url": "https://a.example/"\(request)},
           "response": {\(response)}\(entry)}]}}
        """.utf8))
  }

  /// The archive, and what is read back after writing it with and without its secrets.
  private func forms(_ archive: HTTPArchive) throws -> [HTTPArchive] {
    let folder = try TemporaryFolder()
    try archive.redacted().write(to: folder.file())
    return try [
      archive, HTTPArchive(data: archive.data()), HTTPArchive(contentsOf: folder.file()),
    ]
  }

  private func load(_ archive: HTTPArchive) async throws -> Data {
    let url = try #require(URL(string: "https://a.example/"))
    return try await Client { $0.transport = PlaybackTransport(archive) }
      .load(.data(Request(.post, url: url)))
  }

  @Test(arguments: [
    #""status": 200"#, #""status": 200, "content": {}"#, #""status": 200, "content": null"#,
    #""status": 200, "content": {"size": 4096, "mimeType": "text/html"}"#,
    #""status": 200, "content": {"size": 4096, "mimeType": "text/html", "text": null}"#,
    #""status": 200, "content": {"size": 4096, "mimeType": "text/html", "text": ""}"#,
    #""status": 200, "content": {"size": -1, "mimeType": "x-unknown"}"#,
    #""status": 200, "content": {"size": 0, "mimeType": ""}, "bodySize": 431"#,
    #""status": 200, "content": {"size": 0}, "headers": [{"name": "Content-Length", "value": "9"}]"#,
    #""status": 200, "content": {"size": 3, "text": "?", "encoding": "base64"}"#,
    #""status": 200, "content": {"size": 3, "text": "0", "_isBinary": true}"#,
    #""status": 200, "content": {"text": 7}"#, #""status": 200, "content": {"text": {"a": 1}}"#,
    #""status": 200, "content": {"size": 5, "_file": "0123.txt"}"#,
  ])
  func `a body that is missing from a file isn't written`(_ response: String) async throws {
    for archive in try forms(archive(response: response)) {
      let error = await #expect(throws: LoadError.self) { try await load(archive) }

      #expect(archive.entries.first?.response.body == nil)
      #expect(error?.kind == .notRecorded)
      #expect(error?.reason == "the recording doesn't have the body of this response")
    }
  }

  @Test func `what is known about a missing body is written`() throws {
    let response =
      #""status": 200, "content": {"size": 4096, "mimeType": "text/html", "_file": "0123.html"}"#
    let archive = try archive(
      response: response, entry: #", "timings": {"send": 0, "wait": 7.5, "receive": 2}"#)

    let written = try JSONValue(parsing: archive.data())["log"]?["entries"]?[0]?["response"]

    #expect(
      written?["content"] == [
        "size": 4096, "mimeType": "text/html", "comment": "It is in another file.",
      ])
    #expect(try forms(archive).allSatisfy { $0.entries == archive.entries })
  }

  @Test func `the error says why a body is missing`() async throws {
    let response = #""status": 200, "content": {"text": "?", "encoding": "base64"}"#

    for archive in try forms(archive(response: response)) {
      let error = await #expect(throws: LoadError.self) { try await load(archive) }
      #expect(error?.advice == "The file says: Its text isn't valid base64.")
    }
  }

  @Test func `another program's comment on a missing body isn't kept`() throws {
    let archive = try archive(
      response: #""status": 200, "content": {"size": 9, "comment": "token=planted-1234"}"#)

    for archive in try forms(archive) {
      #expect(!String(decoding: try archive.data(), as: UTF8.self).contains("planted"))
    }
  }

  @Test(arguments: [
    #""content": {"size": 0, "mimeType": "x-unknown"}"#, #""content": {"size": 0}, "bodySize": -1"#,
    #""content": {"text": ""}"#, #""content": {"size": -1, "text": ""}"#,
    #""content": {"size": 0}, "headers": [{"name": "content-length", "value": "0"}]"#,
    #""content": {"size": 12}, "headers": [{"name": "content-length", "value": "0"}]"#,
  ])
  func `an empty body is empty`(_ content: String) async throws {
    for archive in try forms(archive(response: #""status": 200, \#(content)"#)) {
      #expect(try await load(archive) == Data())
    }
  }

  @Test(arguments: [
    (#""text": "iVBO\nRw0=", "encoding": "base64""#, [0x89, 0x50, 0x4E, 0x47, 0x0D]),
    (#""text": "iVBORw0", "encoding": "BASE64""#, [0x89, 0x50, 0x4E, 0x47, 0x0D]),
    (#""text": "-_8", "encoding": "base64url""#, [0xFB, 0xFF]),
    (
      #""text": "data:image/png;base64,iVBORw0=", "encoding": "base64""#,
      [0x89, 0x50, 0x4E, 0x47, 0x0D]
    ),
    (
      #""text": "[\"iVA=\",\"TkcN\"]", "encoding": "base64", "_isBinary": true"#,
      [0x89, 0x50, 0x4E, 0x47, 0x0D]
    ),
    (#""text": "[\"8950\",\"4E47\"]", "_isBinary": true"#, [0x89, 0x50, 0x4E, 0x47]),
    (#""text": "8950", "encoding": "hex""#, [0x89, 0x50]),
    (#""text": "é", "encoding": "utf8""#, [0xC3, 0xA9]),
    (#""text": "é", "encoding": """#, [0xC3, 0xA9]),
  ])
  func `a body is decoded whatever the spelling of its coding`(
    _ content: String, _ bytes: [UInt8]
  ) async throws {
    for archive in try forms(archive(response: #""status": 200, "content": {\#(content)}"#)) {
      #expect(try await load(archive) == Data(bytes))
    }
  }

  @Test func `a body that is still compressed isn't played as a decoded one`() async throws {
    let response = #"""
      "status": 200, "headers": [{"name": "Content-Encoding", "value": "gzip"}],
      "content": {"text": "[\"H4sI\",\"AAAA\"]", "encoding": "base64"}
      """#
    let archive = try archive(response: response)

    let error = await #expect(throws: LoadError.self) { try await load(archive) }

    #expect(error?.reason == "the recording has the body of this response only in compressed form")
  }

  @Test func `bytes in another charset remain bytes, and text remains text`() async throws {
    let type = #""headers": [{"name": "Content-Type", "value": "text/plain; charset=iso-8859-1"}]"#
    let coded = try archive(
      response: #""status": 200, \#(type), "content": {"text": "w6k=", "encoding": "base64"}"#)
    let plain = try archive(response: #""status": 200, \#(type), "content": {"text": "é"}"#)

    for archive in try forms(coded) { #expect(try await text(archive) == "Ã©") }
    for archive in try forms(plain) { #expect(try await text(archive) == "é") }
  }

  private func text(_ archive: HTTPArchive) async throws -> String {
    let url = try #require(URL(string: "https://a.example/"))
    return try await Client { $0.transport = PlaybackTransport(archive) }
      .load(.text(Request(.post, url: url)))
  }

  @Test(arguments: [
    (
      #"[{"name": "a", "value": ["1", "2"]}, {"name": "b", "value": "3"}]"#,
      ["a: 1", "a: 2", "b: 3"]
    ),
    (#"[["a", "1"], ["b", "2"]]"#, ["a: 1", "b: 2"]),
    (#"[{"name": "a", "value": 12}, {"name": "b", "value": true}]"#, ["a: 12", "b: true"]),
    (
      #"[{"name": "a", "value": null}, {"name": "b"}, {"name": "c", "value": []}]"#,
      ["a: ", "b: ", "c: "]
    ),
    (#"[{"name": "a", "value": {"b": 1}}]"#, [#"a: {"b":1}"#]),
    (
      #"[{"name": "a", "value": "1\n2\r\n3"}, {"name": "b", "value": "x\u0085y"}]"#,
      ["a: 1", "a: 2", "a: 3", "b: x\u{85}y"]
    ),
    (#"[{"name": ":status", "value": "200"}, {"name": "", "value": "1"}]"#, []), ("null", []),
  ])
  func `headers are read in every form that programs write`(
    _ written: String, _ read: [String]
  ) throws {
    let archive = try archive(
      request: #", "headers": \#(written)"#, response: #""status": 200, "headers": \#(written)"#)

    for archive in [archive, try HTTPArchive(data: archive.data())] {
      let entry = try #require(archive.entries.first)
      #expect(entry.request.headers.map { "\($0.name): \($0.value)" } == read)
      #expect(entry.response.headers.map { "\($0.name): \($0.value)" } == read)
    }
  }

  @Test(arguments: [
    "-2", "-1", "12007", "\"error\"", "null", "0", "1e400", "99999999999999999999", "2.5",
  ])
  func `an invalid status means no response`(_ status: String) async throws {
    for archive in try forms(archive(response: #""status": \#(status), "headers": []"#)) {
      let error = await #expect(throws: LoadError.self) { try await load(archive) }
      #expect(archive.entries.first?.response.status == 0)
      #expect(error?.kind == .connection)
      #expect(error?.reason.hasPrefix("the recorded request got no response") == true)
    }
    let minusTwo = try archive(response: #""status": -2"#)
    #expect(minusTwo.entries.first?.failure?.reason.hasSuffix("(status -2)") == true)
  }

  @Test func `a status may be a string`() async throws {
    let archive = try archive(response: #""status": "200", "content": {"text": "found"}"#)

    #expect(try await load(archive) == Data("found".utf8))
  }

  @Test(arguments: [#"{"request": \#(request)}"#, #"{"request": \#(request), "response": null}"#])
  func `an entry without a response is a request that got none`(_ entry: String) async throws {
    let archive = try HTTPArchive(data: Data(#"{"log": {"entries": [\#(entry)]}}"#.utf8))

    for archive in try forms(archive) {
      let error = await #expect(throws: LoadError.self) { try await load(archive) }
      #expect(error?.reason == "the recorded request got no response")
    }
  }

  private static let request = #"{"method": "POST", "url": "https://a.example/"}"#

  @Test(arguments: [
    // chrome-har
    (
      #""mimeType": "application/json", "params": [{"name": "a", "value": {"b": 1}}, {"name": "c", "value": "d"}, {"name": "l", "value": 1}, {"name": "l", "value": 2}]"#,
      #"{"a":{"b":1},"c":"d","l":[1,2]}"#
    ),
    (
      #""mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": ["1", "2"]}, {"name": "b", "value": null}, {"name": "c", "value": 3}]"#,
      "a=1&a=2&b=&c=3"
    ),
    (
      #""mimeType": "text/plain", "text": "plain", "params": [{"name": "a", "value": {"b": 1}}]"#,
      "plain"
    ),
    (
      #""mimeType": "application/octet-stream", "text": "AP8=", "encoding": "base64", "params": []"#,
      "\u{0}"
    ),
  ])
  func `the body of a request is read from its text or its parameters`(
    _ post: String, _ body: String
  ) throws {
    for archive in try forms(archive(request: #", "postData": {\#(post)}"#)) {
      let read = try #require(archive.entries.first?.request.body)
      #expect(read.isComplete)
      #expect(read.data.starts(with: Data(body.utf8)))
    }
  }

  @Test func `a body may be a bare string`() async throws {
    let archive = try archive(
      request: #", "postData": "a=1""#, response: #""status": 200, "content": "found""#)

    for archive in try forms(archive) {
      #expect(archive.entries.first?.request.body?.data == Data("a=1".utf8))
      #expect(try await load(archive) == Data("found".utf8))
    }
  }

  @Test(arguments: [
    #", "bodySize": 12"#, #", "bodySize": 12, "postData": {"mimeType": "image/png"}"#,
    #", "bodySize": 12, "postData": {"mimeType": "multipart/form-data", "params": [{"name": "a", "fileName": "b"}]}"#,
    #", "bodySize": 12, "postData": {"text": "?", "encoding": "base64"}"#,
    #", "bodySize": 12, "postData": {"text": {"a": 1}, "params": 7}"#,
  ])
  func `a sent body that is missing from the file is unknown`(_ request: String) throws {
    for archive in try forms(archive(request: request)) {
      let body = try #require(archive.entries.first?.request.body)
      #expect(!body.isComplete)
      #expect(body.size == 12)
      #expect(body.data.isEmpty)
    }
  }

  @Test(arguments: [
    ("2026-11-20T09:14:03.125Z", 1_795_166_043.125), ("2026-11-20T09:14:03Z", 1_795_166_043),
    ("2026-11-20T10:14:03.125+01:00", 1_795_166_043.125),
    ("2026-11-20T10:14:03.125+0100", 1_795_166_043.125),
    // mitmproxy, .NET, and Go
    ("2026-11-20T09:14:03.125481+00:00", 1_795_166_043.125481),
    ("2026-11-20T10:14:03.1254812+01:00", 1_795_166_043.125481),
    ("2026-11-20T09:14:03.125481234Z", 1_795_166_043.125481),
    ("2026-11-20 09:14:03.5", 1_795_166_043.5), ("2026-11-20T09:14:03,5", 1_795_166_043.5),
    ("1969-12-31T23:59:59.9Z", -0.1), ("soon", nil), ("", nil), ("2026", nil),
  ])
  func `dates are kept to the microsecond`(_ text: String, _ seconds: Double?) throws {
    let archive = try archive(entry: #", "startedDateTime": "\#(text)""#)

    for archive in try forms(archive) {
      #expect(archive.entries.first?.started == seconds.map(Date.init(timeIntervalSince1970:)))
    }
  }

  @Test(arguments: [1e300, -1e300, .infinity, .nan]) func `any date can be written`(_ date: Double)
    throws
  {
    var archive = try archive()
    archive.entries[0].started = Date(timeIntervalSince1970: date)

    #expect(try HTTPArchive(data: archive.data()).entries[0].started == nil)
  }

  @Test func `an archive keeps the name of the program that wrote it`() throws {
    let written = try JSONValue(parsing: archive().data())["log"]?["creator"]

    #expect(written == ["name": "another", "version": "7"])
  }

  @Test func `an entry with an empty URL answers nothing`() async throws {
    var archive = try archive(response: #""status": 200, "content": {"text": "found"}"#)
    archive.entries.insert(
      HTTPArchive.Entry(request: .init("POST", url: ""), response: .init(status: 200)), at: 0)

    for archive in try forms(archive) { #expect(try await load(archive) == Data("found".utf8)) }
  }
}
