import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing
import UploadTestSupport

/// Uploads that are interrupted and go on.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct ResumedUploadTests {
  private struct Stored: Decodable, Sendable { var id: String }

  private let directory = TemporaryDirectory()
  private var file: URL { directory.url.appending(path: "a.bin") }

  init() throws { try UploadServer.content.write(to: file) }

  private func resumption(_ dialect: UploadServer.Dialect) -> UploadResumption {
    dialect == .session ? .using(SessionUploads()) : .automatic
  }

  @Test(arguments: UploadServer.Dialect.allCases, Engine.allCases)
  func `a file arrives by each protocol`(
    _ dialect: UploadServer.Dialect, _ engine: Engine
  ) async throws {
    let uploads = UploadServer(dialect)
    let server = try uploads.start()
    defer { server.stop() }

    try await Client(engine, baseURL: server.url()).load(
      .void(.upload(.post("/files"), file: file, resuming: resumption(dialect))))

    #expect(uploads.objects == [UploadServer.content])
  }

  @Test(arguments: [UploadServer.Dialect.ietf, .tus, .session], Engine.allCases)
  func `only what the server hasn't stored is sent again`(
    _ dialect: UploadServer.Dialect, _ engine: Engine
  ) async throws {
    let cuts = Mutex(3)
    let uploads = UploadServer(dialect, isGentle: engine == .urlSession) { reply, request, _, _ in
      guard request.header("Content-Length").flatMap({ Int($0) }) ?? 0 > 150_000,
        cuts.withLock({ cuts in
          cuts -= 1
          return cuts >= 0
        })
      else { return }
      reply.cut = 100_000
    }
    let server = try uploads.start()
    defer { server.stop() }

    try await Client(engine, baseURL: server.url()).load(
      .void(.upload(.post("/files"), file: file, resuming: resumption(dialect))))

    #expect(uploads.objects == [UploadServer.content])
    let offsets = server.requests.filter {
      $0.method == "PATCH" || $0.header("Content-Range") != nil
    }
    .compactMap { request in
      request.header("Upload-Offset").flatMap { Int($0) }
        ?? request.header("Content-Range").flatMap {
          Int($0.dropFirst(6).prefix { $0 != "-" })
        }
    }
    #expect(offsets.suffix(3) == [100_000, 200_000, 300_000])
  }

  @Test(arguments: Engine.allCases)
  func `the answer is that of the resource, and progress never decreases`(
    _ engine: Engine
  ) async throws {
    let uploads = UploadServer(.ietf, isGentle: engine == .urlSession) { reply, request, _, _ in
      if request.header("Content-Length").flatMap({ Int($0) }) == 600_000 { reply.cut = 200_000 }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let steps = Mutex<[TransferProgress]>([])
    let resource = Resource<Stored>.upload(.post("/files"), file: file)
      .onProgress(of: .upload) { step in steps.withLock { $0.append(step) } }

    let stored = try await Client(engine, baseURL: server.url()).load(resource)

    #expect(stored.id == "stored")
    let completed = steps.withLock { $0.map(\.completed) }
    #expect(completed == completed.sorted())
    #expect(completed.last == UploadServer.content.count)
    #expect(steps.withLock { $0.allSatisfy { $0.total == UploadServer.content.count } })
  }

  @Test(arguments: Engine.allCases)
  func `a limit of the server divides the file`(_ engine: Engine) async throws {
    let uploads = UploadServer(.ietf, limits: "max-append-size=250000, max-age=3600")
    let server = try uploads.start()
    defer { server.stop() }

    try await Client(engine, baseURL: server.url()).load(
      .void(.upload(.post("/files"), file: file)))

    #expect(uploads.objects == [UploadServer.content])
    #expect(server.requests.allSatisfy { $0.bodyLength <= 250_000 })
  }

  @Test(arguments: [UploadOptions.Change.fails, .beginsAnew], Engine.allCases)
  func `a file that changes meanwhile is an error, or is uploaded as it is then`(
    _ change: UploadOptions.Change, _ engine: Engine
  ) async throws {
    let changed = Data(repeating: 1, count: 700_000)
    let isChanged = Mutex(false)
    let uploads = UploadServer(.tus, isGentle: engine == .urlSession) {
      [file] reply, request, _, _ in
      guard request.method == "PATCH" else { return }
      isChanged.withLock { isChanged in
        guard !isChanged else { return }
        reply.cut = 100_000
        isChanged = (try? changed.write(to: file, options: .atomic)) != nil
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let upload = Request.upload(.post("/files"), file: file) { $0.change = change }

    var failure: LoadError?
    do {
      try await Client(engine, baseURL: server.url()).load(.void(upload))
    } catch { failure = error as? LoadError }

    #expect(failure?.kind == (change == .fails ? .invalidRequest : nil))
    #expect(
      failure?.reason == (change == .fails ? "the file has changed since its upload began" : nil))
    #expect(uploads.objects == (change == .fails ? [] : [changed]))
    #expect(server.requests.filter { $0.method == "DELETE" }.count == 1)
  }

  /// The file's length is taken before the server is asked what it speaks.
  @Test(arguments: [UploadOptions.Change.fails, .beginsAnew])
  func `a file that changes before the first byte is sent isn't cut to its old length`(
    _ change: UploadOptions.Change
  ) async throws {
    let changed = Data(repeating: 1, count: 1_500_000)
    let isChanged = Mutex(false)
    let uploads = UploadServer(.tus) { [file] _, _, _, _ in
      isChanged.withLock { isChanged in
        if !isChanged { isChanged = (try? changed.write(to: file, options: .atomic)) != nil }
      }
    }
    let server = try uploads.start()
    defer { server.stop() }
    let upload = Request.upload(.post("/files"), file: file) { $0.change = change }

    var failure: LoadError?
    do {
      try await Client(.curl, baseURL: server.url()).load(.void(upload))
    } catch { failure = error as? LoadError }

    #expect(failure?.kind == (change == .fails ? .invalidRequest : nil))
    #expect(uploads.objects == (change == .fails ? [] : [changed]))
  }

  /// A read comes between the check of the file and its end, as the transport shows it here.
  @Test func `a file that ends too early has changed`() async throws {
    let transport = StubTransport()
    transport.stub("OPTIONS /files", .response(status: 204, headers: ["Tus-Version": "1.0.0"]))
    transport.stub("POST /files", .response(status: 201, headers: ["Location": "/uploads/x"]))
    transport.stub("PATCH /uploads/x") { [file] _ in
      do { try Data("short".utf8).write(to: file) } catch { return .error(error) }
      return .error(LoadError(.invalidRequest, "it became shorter while it was sent"))
    }
    let client = Client(baseURL: "https://a.test") { $0.transport = transport }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(.upload(.post("/files"), file: file)))
    }

    #expect(error?.reason == "the file has changed since its upload began")
  }

  @Test(arguments: [UploadServer.Dialect.ietf, .tus], Engine.allCases)
  func `a digest goes along where the protocol has a place for it`(
    _ dialect: UploadServer.Dialect, _ engine: Engine
  ) async throws {
    let uploads = UploadServer(dialect)
    let server = try uploads.start()
    defer { server.stop() }
    try Data("hello world".utf8).write(to: file)

    try await Client(engine, baseURL: server.url()).load(
      .void(.upload(.post("/files"), file: file) { $0.checksContent = true }))

    let hash = "sha-256=:uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=:"
    if dialect == .tus {
      // The example of the protocol.
      #expect(
        server.requests.last?.header("Upload-Checksum") == "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=")
    } else {
      #expect(server.requests.contains { $0.header("Repr-Digest") == hash })
      #expect(server.requests.last?.header("Content-Digest") == hash)
    }
  }

  /// A server that has uploads continue at a URL.
  private func server(creatingAt url: URL) throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("OPTIONS /files", .status(204, headers: ["Tus-Version": "1.0.0"]))
      LoopbackRoute("POST /files", .status(201, headers: ["Location": url.absoluteString]))
    }
  }

  @Test(arguments: Engine.allCases)
  func `a credential stays with the origin of the load`(_ engine: Engine) async throws {
    let uploads = UploadServer(.tus)
    let storage = try uploads.start()
    defer { storage.stop() }
    let server = try server(creatingAt: storage.url("/uploads/x"))
    defer { server.stop() }
    let request = Request.upload(.post(server.url("/files")), file: file)
    var signed = request
    signed.headers[.authorization] = "Bearer secret"
    // Without a base URL, middleware adds a credential to any request of the caller's.
    let client = Client(engine) { $0.middleware = [BearerAuthentication(token: "secret")] }

    _ = try? await Client(engine).load(.void(signed))
    let count = storage.requests.count
    _ = try? await client.load(.void(request))

    #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
    #expect(count > 0 && storage.requests.count > count)
    #expect(storage.requests.allSatisfy { $0.header("Authorization") == nil })
    #expect(storage.requests.allSatisfy { $0.header("Tus-Resumable") == "1.0.0" })
  }

  /// Otherwise any server could have the client change things at its own.
  @Test func `another origin can't choose a URL that gets the client's credential`() async throws {
    let home = try LoopbackServer { LoopbackRoute("*", .status(204)) }
    defer { home.stop() }
    let other = try server(creatingAt: home.url("/account"))
    defer { other.stop() }
    let client = Client(baseURL: home.url()) {
      $0.middleware = [BearerAuthentication(token: "secret")]
    }

    _ = try? await client.load(.void(.upload(.post(other.url("/files")), file: file)))

    #expect(!home.requests.isEmpty)
    #expect(home.requests.allSatisfy { $0.header("Authorization") == nil })
  }
}
