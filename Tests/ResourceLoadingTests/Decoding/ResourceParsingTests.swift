import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn)
struct ResourceParsingTests {
  private struct User: Decodable, Sendable, Equatable { let login: String }

  private func loader(
    _ status: Status = .ok, _ headers: Headers = [:], _ body: Data = Data()
  ) -> StubLoader {
    let loader = StubLoader()
    loader.stub("*", .response(status: status, headers: headers, body: body))
    return loader
  }

  @Test(arguments: [Status.noContent, 205, 200])
  func `a missing body is empty data or text, void, or nil`(_ status: Status) async throws {
    let loader = loader(status)

    #expect(try await loader.load(.data(.get("/"))).isEmpty)
    #expect(try await loader.load(.text(.get("/"))).isEmpty)
    try await loader.load(.void(.get("/")))
    #expect(try await loader.load(Resource<User?>(json: .get("/"))) == nil)
  }

  @Test(arguments: [
    (Status.noContent, "204 No Content comes without a body, so there is no User in it"),
    (.ok, "the body is empty, so there is no User in it"),
  ])
  func `a missing body is an error for other values`(
    _ status: Status, _ reason: String
  ) async throws {
    let error = await #expect(throws: LoadError.self) {
      try await loader(status).load(Resource<User>(json: .get("/")))
    }

    #expect(error?.kind == .parsing)
    #expect(error?.reason == reason)
  }

  @Test func `a body of white space isn't called empty`() async throws {
    let error = await #expect(throws: LoadError.self) {
      try await loader(.ok, [:], Data(" ".utf8)).load(Resource<User>(json: .get("/")))
    }

    #expect(error?.reason == "the body has nothing but white space, so there is no User in it")
  }

  private struct Box: Decodable, Sendable { var any: JSONValue }

  private func failure<R: Decodable & Sendable>(_ type: R.Type, _ json: String) async -> LoadError?
  {
    let loader = loader(.ok, [:], Data(json.utf8))
    return await #expect(throws: LoadError.self) {
      try await loader.load(Resource<R>(json: .get("/")))
    }
  }

  @Test func `the error of invalid JSON has its position, for any type`() async throws {
    let any = await failure(JSONValue.self, "[-01]")
    let inner = await failure(Box.self, "{\"any\":\n [1, -01]}")
    let text = await failure(Box.self, "{\"any\": \"\\ud800\"}")
    let plain = await failure([Double].self, "[1e400]")

    #expect(any?.reason == "the body isn't JSON: a number has a leading zero")
    #expect(any?.parsing?.line == 1 && any?.parsing?.column == 2)
    #expect(inner?.reason == any?.reason)
    #expect(inner?.parsing?.line == 2 && inner?.parsing?.column == 6)
    #expect(text?.reason == "the body isn't JSON: an escape has half of a surrogate pair")
    #expect(
      plain?.reason
        == "the value can't be read: Parsed JSON number <1e400> does not fit in Double.")
    #expect(plain?.parsing?.path == "[0]" && plain?.parsing?.column == 2)
  }

  @Test func `a value of any JSON is unwrapped at its path`() async throws {
    let loader = loader(.ok, [:], Data(#"{"a": [1, {"b": null}]}"#.utf8))

    #expect(try await loader.load(Resource<JSONValue>(json: .get("/"), at: "a.1.b")) == .null)
    let error = await #expect(throws: LoadError.self) {
      try await loader.load(Resource<JSONValue>(json: .get("/"), at: "a.2"))
    }
    #expect(error?.reason == "the key \"2\" is missing")
  }

  @Test func `a step of a path may begin with a combining character`() async throws {
    let loader = loader(.ok, [:], Data("{\"a\": {\"\u{301}b\": 7}}".utf8))

    #expect(try await loader.load(Resource<Int>(json: .get("/"), at: "a.\u{301}b")) == 7)
  }

  @Test(arguments: ["-1", "+1", "\u{661}"])
  func `only digits are a position in a list`(_ step: String) async throws {
    let loader = loader(.ok, [:], Data("{\"a\": [7, 8], \"b\": {\"\(step)\": 9}}".utf8))

    #expect(try await loader.load(Resource<Int>(json: .get("/"), at: "b.\(step)")) == 9)
    let error = await #expect(throws: LoadError.self) {
      try await loader.load(Resource<Int>(json: .get("/"), at: "a.\(step)"))
    }
    #expect(error?.kind == .parsing)
  }

  @Test func `a response to HEAD has no body, whatever its length says`() async throws {
    let loader = loader(.ok, ["Content-Length": "10"])

    #expect(try await loader.load(Resource<User?>(json: Request(.head, "/"))) == nil)
  }

  @Test func `304 is an error unless it is accepted, and then has no body`() async throws {
    let loader = loader(.notModified)
    var request = Request.get("/")

    let error = await #expect(throws: LoadError.self) { try await loader.load(.data(request)) }
    request.options.acceptedStatuses = [304]
    let user = try await loader.load(Resource<User?>(json: request))

    #expect(error?.kind == .status)
    #expect(user == nil)
  }

  @Test(arguments: [
    ("data.user", #"{"data": {"user": {"login": "a"}}}"#),
    ("items.1", #"{"items": [{}, {"login": "a"}]}"#), ("", #"{"login": "a"}"#),
    ("0.x", #"[{"x": {"login": "a"}}]"#), ("a.0.0", #"{"a": [[{"login": "a"}]]}"#),
    ("1", #"{"1": {"login": "a"}}"#),
  ])
  func `a value is unwrapped at its path`(_ path: String, _ json: String) async throws {
    let loader = loader(.ok, [:], Data(json.utf8))

    #expect(try await loader.load(Resource<User>(json: .get("/"), at: path)).login == "a")
  }

  @Test(arguments: [
    ("data.user", #"{"data": {}}"#, "data.user"), ("data.user", #"{"date": 1}"#, "data"),
    ("items.3", #"{"items": [1]}"#, "items[3]"), ("data.user", #"{"data": null}"#, "data"),
    ("user", #"{"user": {"login": 7}}"#, "user.login"),
  ])
  func `the error of a missing envelope has its path`(
    _ path: String, _ json: String, _ place: String
  ) async throws {
    let loader = loader(.ok, [:], Data(json.utf8))

    let error = await #expect(throws: LoadError.self) {
      try await loader.load(Resource<User>(json: .get("/"), at: path))
    }

    #expect(error?.kind == .parsing)
    #expect(error?.parsing?.path == place)
    #expect(error?.parsing?.line == 1)
  }

  @Test func `null at the path is nil for an optional`() async throws {
    let loader = loader(.ok, [:], Data(#"{"data": {"user": null}}"#.utf8))

    #expect(try await loader.load(Resource<User?>(json: .get("/"), at: "data.user")) == nil)
  }

  @Test(arguments: [
    ("text/plain; charset=iso-8859-1", [0xE4], "ä"), ("text/plain", [0xC3, 0xA4], "ä"),
    ("text/plain", [0xEF, 0xBB, 0xBF, 0x61], "a"), ("", [0xFE, 0xFF, 0x00, 0xE4], "ä"),
    ("text/plain; charset=\"windows-1251\"", [0xE6], "ж"),
    ("text/plain; charset=utf-16le", [0xE4, 0x00], "ä"),
    ("text/plain; charset=utf-16", [0xE4, 0x00], "ä"),
    ("text/plain; charset=windows-1252", [0x80, 0x81, 0xE4], "€\u{81}ä"),
    ("text/plain; charset=us-ascii", [0x93, 0x61], "“a"), ("text/plain; charset=", [0x61], "a"),
    ("text/plain; charset=\"\"", [0x61], "a"), ("text/plain; charset='UTF-8'", [0x61], "a"),
    ("text/plain; charset=GBK", [0xC4, 0xE3], "你"),
    ("text/html; charset=gb2312", [0xC4, 0xE3], "你"),
    ("text/html; charset=gb18030", [0xC4, 0xE3], "你"),
    ("text/html; charset=Big5", [0xA7, 0x41], "你"),
    ("text/html; charset=EUC-KR", [0xB0, 0xA1], "가"), ("text/html; charset=KOI8-R", [0xC1], "а"),
    ("text/html; charset=ISO-8859-15", [0xA4], "€"), ("text/html; charset=ISO-8859-5", [0xB0], "А"),
    ("text/html; charset=x-sjis", [0x93, 0xFA], "日"),
    ("text/html; charset=EUC-JP", [0xC6, 0xFC], "日"),
    ("text/html; charset=iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"),
    ("text/html; charset=Big5", [0x87, 0x40, 0x8E, 0x40, 0xFA, 0x40], "䏰𣻗𠕇"),
    ("text/html; charset=Big5-HKSCS", [0x88, 0x40, 0x88, 0x62, 0xA3, 0xE1], "㇀Ê̄€"),
    ("text/html; charset=EUC-JP", [0x8F, 0xB0, 0xA1, 0x61, 0xB0, 0xA1, 0x8F, 0xED, 0xE3], "丂a亜龥"),
    ("text/html; charset=windows-1256", [0xC7], "ا"), ("text/html; charset=cp1251", [0xE6], "ж"),
  ])
  func `text is read in its charset`(_ type: String, _ bytes: [UInt8], _ text: String) async throws
  {
    let loader = loader(.ok, [.contentType: type], Data(bytes))

    #expect(try await loader.load(.text(.get("/"))) == text)
  }

  @Test(arguments: [
    ("text/plain", [0xFF] as [UInt8]), ("text/plain; charset=klingon", [0x61]),
    ("text/plain; charset=utf-16", [0x61, 0x00, 0x62]), ("", [0xFE, 0xFF, 0x00]),
    ("text/plain; charset=big5", [0x81, 0x40]), ("text/plain; charset=euc-jp", [0x8F, 0xB0]),
    ("text/plain; charset=euc-jp", [0x8F, 0xA1, 0xA1]), ("text/plain; charset=euc-jp", [0x8F]),
  ])
  func `text that can't be read is an error`(_ type: String, _ bytes: [UInt8]) async throws {
    let loader = loader(.ok, [.contentType: type], Data(bytes))

    let error = await #expect(throws: LoadError.self) {
      try await loader.load(.text(.get("/")))
    }

    #expect(error?.kind == .parsing)
  }

  @Test func `a mapped resource parses, then transforms`() async throws {
    let loader = loader(.ok, [:], Data("12".utf8))

    let number = try await loader.load(Resource.text(.get("/")).map { Int($0) })

    #expect(number == 12)
  }

  @Test func `an error of a parser becomes a parsing error, but a LoadError stays`()
    async throws
  {
    struct Odd: Error {}
    let loader = loader()

    let wrapped = await #expect(throws: LoadError.self) {
      try await loader.load(Resource<Int>(.get("/")) { _ in throw Odd() })
    }
    let own = await #expect(throws: LoadError.self) {
      try await loader.load(
        Resource<Int>(.get("/")) { _ in throw LoadError(.store, "mine") })
    }

    #expect(wrapped?.kind == .parsing)
    #expect(wrapped?.underlying is Odd)
    #expect(own?.kind == .store)
  }

  @Test(arguments: [
    (#"{"type": "x", "title": "Out of credit", "detail": "Balance 30"}"#, "Balance 30"),
    (#"{"errors": [{"message": "a"}, {"message": "b"}]}"#, "a; b"),
    (#"{"error": {"message": "deep"}}"#, "deep"), (#"{"error": "plain"}"#, "plain"),
    (#"["one", "two"]"#, "one; two"), (#"{"error_description": "d", "error": "e"}"#, "d"),
  ])
  func `the server's own message is found`(_ body: String, _ message: String) async throws {
    let error = await #expect(throws: LoadError.self) {
      try await loader(400, [:], Data(body.utf8)).load(.data(.get("/")))
    }

    #expect(error?.serverMessage == message)
  }
}
