import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing
import UploadTestSupport

/// Servers that do something wrong while a file is uploaded.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(15)))
struct UploadFaultTests {
  private let directory = TemporaryDirectory()
  private var file: URL { directory.url.appending(path: "a.bin") }

  /// What has to come of it.
  enum Outcome: Sendable, Hashable {
    /// The file is stored once.
    case stored
    /// The file is stored twice, as the request allows.
    case storedTwice
    /// It is stored, and the error says that this isn't known.
    case uncertain
    /// Nothing is stored, and there is an error of this kind.
    case error(LoadError.Kind)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var dialect: UploadServer.Dialect
    var outcome: Outcome
    var limits: String?
    var method: Request.Method
    var fault: UploadServer.Fault

    init(
      _ name: String, _ dialect: UploadServer.Dialect = .ietf, _ outcome: Outcome = .stored,
      limits: String? = nil, method: Request.Method = .post,
      fault: @escaping UploadServer.Fault
    ) {
      (self.name, self.dialect, self.outcome) = (name, dialect, outcome)
      (self.limits, self.method, self.fault) = (limits, method, fault)
    }

    var testDescription: String { "\(dialect): \(name)" }
  }

  /// Whether a request brings bytes.
  private static func hasBody(_ request: ReceivedRequest) -> Bool {
    request.header("Content-Length").flatMap { Int($0) } ?? 0 > 0
  }

  /// Returns whether something is so for the first time at a server.
  private final class Once: Sendable {
    private let servers = Mutex<[UploadServer]>([])
    func callAsFunction(_ condition: Bool, _ server: UploadServer) -> Bool {
      guard condition else { return false }
      return servers.withLock { servers in
        guard !servers.contains(where: { $0 === server }) else { return false }
        servers.append(server)
        return true
      }
    }
  }

  private static func isQuestion(_ request: ReceivedRequest) -> Bool {
    request.method == "HEAD" || request.header("Content-Range")?.hasPrefix("bytes */") == true
  }

  /// Cuts the first request with bytes.
  private static func cutOnce() -> UploadServer.Fault {
    let once = Once()
    return { reply, request, _, server in if once(hasBody(request), server) { reply.cut = 100_000 }
    }
  }

  /// Cuts the first request with bytes, and does something to the answers to all questions.
  private static func afterCut(
    _ change: @escaping @Sendable (inout UploadServer.Reply, UploadServer) -> Void
  ) -> UploadServer.Fault {
    let cut = cutOnce()
    return { reply, request, number, server in
      cut(&reply, request, number, server)
      if isQuestion(request) { change(&reply, server) }
    }
  }

  static let cases: [Case] = [
    Case("OPTIONS is refused") { reply, request, _, server in
      if request.method == "OPTIONS" { reply.status = 405 }
    },
    Case("OPTIONS is answered by a redirect in a circle", .ietf, .error(.redirect)) {
      reply, request, _, server in
      if request.method == "OPTIONS" {
        (reply.status, reply.headers) = (307, ["Location": "/files"])
      }
    },
    Case("OPTIONS fails always", .ietf, .error(.connection)) { reply, request, _, server in
      if request.method == "OPTIONS" { reply.instead = .close }
    },
    Case("104 twice") { reply, _, _, _ in reply.interim += reply.interim },
    Case("104 of another version") { reply, _, _, _ in
      reply.interim = reply.interim.map { _ in
        ["Location": "/uploads/other", "Upload-Draft-Interop-Version": "7"]
      }
    },
    Case("104 without a location") { reply, _, _, _ in
      reply.interim = reply.interim.map { _ in ["Upload-Draft-Interop-Version": "8"] }
    },
    Case("104 with an offset beyond the end") { reply, _, _, _ in
      if !reply.interim.isEmpty {
        reply.interim.append(["Upload-Draft-Interop-Version": "8", "Upload-Offset": "9999999"])
      }
    },
    Case("the connection breaks once", fault: cutOnce()),
    Case("the connection breaks after each 100,000 bytes") { reply, request, _, server in
      if let size = request.header("Content-Length").flatMap({ Int($0) }), size > 100_000 {
        reply.cut = 100_000
      }
    },
    Case("the connection breaks before a byte, always", .ietf, .error(.connection)) {
      reply, request, _, server in
      if hasBody(request) { reply.cut = 0 }
    },
    Case("409 with the right offset, once") { reply, request, _, server in
      if request.method == "PATCH", request.header("Upload-Offset") == "100000" {
        reply.instead = .status(409, headers: ["Upload-Offset": "\(server.storedSize)"])
      } else if request.header("Content-Length") == "600000" {
        reply.cut = 100_000
        reply.losses = 20_000
      } else if request.method == "HEAD", server.storedSize == 80_000 {
        reply.headers = ["Upload-Offset": "100000"]
      }
    },
    Case("409 again and again", .ietf, .error(.status)) { reply, request, _, server in
      if hasBody(request) { reply.instead = .status(409, headers: ["Upload-Offset": "0"]) }
    },
    Case("an offset that goes back") { reply, request, _, server in
      if request.header("Content-Length") == "600000" { reply.cut = 200_000 }
      if request.header("Upload-Offset") == "200000" {
        reply.cut = 100_000
        reply.losses = 150_000
      }
    },
    Case(
      "an offset beyond the end", .ietf, .error(.connection),
      fault: afterCut { reply, _ in reply.headers = ["Upload-Offset": "600001"] }),
    Case(
      "an offset beyond what was sent", .ietf, .error(.connection), limits: "max-append-size=200000"
    ) { [once = Once()] reply, request, _, server in
      if once(hasBody(request), server) { reply.cut = 50_000 }
      if request.method == "HEAD" { reply.headers = ["Upload-Offset": "400000"] }
    },
    Case(
      "no offset", .ietf, .error(.connection),
      fault: afterCut { reply, _ in reply.headers = ["Upload-Offset": ""] }),
    Case(
      "an offset that is no number", .ietf, .error(.connection),
      fault: afterCut { reply, _ in reply.headers = ["Upload-Offset": "12abc"] }),
    Case(
      "an offset that is less than 0", .ietf, .error(.connection),
      fault: afterCut { reply, _ in reply.headers = ["Upload-Offset": "-1"] }),
    Case("404 after the upload expired", limits: "max-append-size=200000") {
      [forgets = Once()] reply, request, _, server in
      if forgets(request.header("Upload-Offset") == "200000", server) { server.forget() }
    },
    Case("410 after the upload expired", limits: "max-append-size=200000") {
      [forgets = Once()] reply, request, _, server in
      if forgets(request.header("Upload-Offset") == "200000", server) {
        server.forget()
        reply.instead = .status(410)
      }
    },
    Case(
      "a server that forgets everything", .ietf, .error(.status), limits: "max-append-size=100000"
    ) { reply, request, _, server in
      if request.method == "PATCH" { server.forget() }
    },
    Case("the final answer is lost") { [lost = Once()] reply, request, _, server in
      reply.losesAnswer = lost(hasBody(request), server)
    },
    Case("the final answer is lost, and the upload forgotten", .ietf, .uncertain) {
      [lost = Once()] reply, request, _, server in
      reply.losesAnswer = lost(hasBody(request), server)
      if request.method == "HEAD" { server.forget() }
    },
    Case(
      "the final answer to a PUT is lost, and the upload forgotten", .ietf, .storedTwice,
      method: .put
    ) { [lost = Once()] reply, request, _, server in
      reply.losesAnswer = lost(hasBody(request), server)
      if request.method == "HEAD" { server.forget() }
    },
    Case("a limit from the beginning", limits: "max-append-size=100000") { _, _, _, _ in },
    Case("a limit that shrinks", limits: "max-append-size=250000") { reply, request, _, server in
      if request.header("Upload-Offset") != nil {
        reply.headers = ["Upload-Limit": "max-append-size=100000"]
      }
    },
    Case("a limit in a 104 that the request exceeds") { reply, request, _, server in
      reply.interim = reply.interim.map { _ in
        [
          "Location": "/uploads/u1", "Upload-Draft-Interop-Version": "8",
          "Upload-Limit": "max-append-size=200000",
        ]
      }
    },
    Case("the file is larger than the server takes", .ietf, .error(.tooLarge), limits: "max-size=5")
    {
      _, _, _, _ in
    },
    Case("the file is smaller than the server resumes", limits: "min-size=700000") { _, _, _, _ in
    },
    Case(
      "limits that contradict each other", .ietf, .error(.connection),
      limits: "max-append-size=10, min-append-size=20"
    ) { _, _, _, _ in },
    Case("a limit that is no number", limits: "max-append-size=many") { _, _, _, _ in },
    Case("503 with Retry-After, once") { [busy = Once()] reply, request, _, server in
      if busy(hasBody(request), server) {
        reply.instead = .status(503, headers: ["Retry-After": "0"])
      }
    },
    Case("500 to the first request with bytes") { [broken = Once()] reply, request, _, server in
      if broken(hasBody(request), server) { (reply.cut, reply.status) = (100_000, 500) }
    },
    Case("503 forever", .ietf, .error(.status)) { reply, request, _, server in
      if hasBody(request) { reply.instead = .status(503, headers: ["Retry-After": "0"]) }
    },
    Case("405", .ietf, .error(.status)) { reply, request, _, server in
      if request.method != "OPTIONS" { reply.instead = .status(405) }
    },
    Case("413 with a limit") { reply, request, _, server in
      if request.header("Content-Length").flatMap({ Int($0) }) ?? 0 > 200_000 {
        reply.instead = .status(413, headers: ["Upload-Limit": "max-append-size=200000"])
      }
    },
    Case("413 without a limit", .ietf, .error(.status)) { reply, request, _, server in
      if hasBody(request) { reply.instead = .status(413) }
    },
    Case("an answer that doesn't say whether the upload is complete") { reply, request, _, server in
      if request.method == "PATCH" { reply.headers = ["Upload-Complete": ""] }
    },
    Case(
      "another location in the final answer", .ietf, .error(.connection),
      limits: "max-append-size=200000"
    ) { reply, request, _, server in
      guard request.method == "POST" else { return }
      // The request that only creates the upload gets no other.
      let other = hasBody(request) ? "/uploads/other" : "http://a@127.0.0.1/"
      reply.headers = ["Location": other]
    },
    Case("a location with a password", .tus, .error(.connection)) { reply, request, _, server in
      if request.method == "POST" { reply.headers = ["Location": "http://a:b@127.0.0.1/uploads/x"] }
    },
    Case("a location that is no URL", .tus, .error(.connection)) { reply, request, _, server in
      if request.method == "POST" { reply.headers = ["Location": "ftp://127.0.0.1/x"] }
    },
    Case("a redirect in between", limits: "max-append-size=200000") {
      [moved = Once()] reply, request, _, server in
      if moved(request.method == "PATCH", server) {
        reply.instead = .status(307, headers: ["Location": request.target])
      }
    },
    Case("the connection breaks once", .tus, fault: cutOnce()),
    Case("201 without a location", .tus, .error(.connection)) { reply, request, _, server in
      if request.method == "POST" { reply.headers = ["Location": ""] }
    },
    Case("423 once", .tus) { [locked = Once()] reply, request, _, server in
      if locked(request.method == "PATCH", server) { reply.instead = .status(423) }
    },
    Case("460 once", .tus) { [wrong = Once()] reply, request, _, server in
      if wrong(request.method == "PATCH", server) { reply.instead = .status(460) }
    },
    Case("412", .tus, .error(.status)) { reply, request, _, server in
      if request.method == "POST" { reply.instead = .status(412) }
    },
    Case("the final answer is lost", .tus) { [lost = Once()] reply, request, _, server in
      reply.losesAnswer = lost(hasBody(request), server)
    },
    Case("the answer to the creation is lost", .tus) { [lost = Once()] reply, request, _, server in
      reply.losesAnswer = lost(request.method == "POST", server)
    },
    Case(
      "403 to a question", .tus, method: .put,
      fault: afterCut { reply, _ in reply.instead = .status(403) }),
    Case("the connection breaks once", .session, fault: cutOnce()),
    Case("the final answer is lost", .session) { [lost = Once()] reply, request, _, server in
      reply.losesAnswer = lost(hasBody(request), server)
    },
    Case(
      "308 with a rubbish Range", .session, .error(.connection),
      fault: afterCut { reply, _ in reply.headers = ["Range": "bytes=5-x"] }),
    Case("the connection breaks once", .plain, .error(.connection), fault: cutOnce()),
    Case(
      "the connection breaks once, and PUT may be repeated", .plain, method: .put, fault: cutOnce()),
  ]

  /// A `URLSession` gets an answer where a connection would break, so what depends on that is left
  /// out.
  static let pairs = cases.flatMap { fault in
    Engine.allCases.filter { engine in
      engine != .urlSession || fault.dialect != .plain && !fault.name.hasSuffix("always")
    }.map { (fault, $0) }
  }

  @Test(arguments: pairs)
  func `a fault costs no byte and stores nothing twice`(
    _ fault: Case, _ engine: Engine
  ) async throws {
    try UploadServer.content.write(to: file)
    let uploads = UploadServer(
      fault.dialect, limits: fault.limits, isGentle: engine == .urlSession, fault: fault.fault)
    let server = try uploads.start()
    defer { server.stop() }
    let request = Request.upload(
      Request(fault.method, "/files").idleTimeout(.seconds(5)), file: file,
      resuming: fault.dialect == .session ? .using(SessionUploads()) : .automatic
    ) { $0.maximumFailures = 3 }

    let result = await Result.of {
      try await Client(engine, baseURL: server.url()).load(.void(request))
    }

    let kind = (result.failure as? LoadError)?.kind
    switch fault.outcome {
    case .stored:
      #expect(result.failure == nil)
      #expect(uploads.objects == [UploadServer.content])
    case .storedTwice:
      #expect(result.failure == nil)
      #expect(uploads.objects == [UploadServer.content, UploadServer.content])
    case .uncertain:
      #expect(kind == .connection)
      #expect(uploads.objects == [UploadServer.content])
    case .error(let expected):
      #expect(kind == expected)
      #expect(uploads.objects.isEmpty)
    }
  }
}

extension Result where Failure == any Error {
  fileprivate static func of(_ body: () async throws -> Success) async -> Self {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
