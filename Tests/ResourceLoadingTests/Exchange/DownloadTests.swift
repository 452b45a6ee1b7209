import Foundation
import PromiseModule
import ResourceLoading
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DownloadTests {
  private let directory = TemporaryDirectory()
  private var file: URL { directory.url.appending(path: "file.bin") }
  private static let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  private func makeServer(
    tag: String? = #""v1""#, extra: [(String, String)] = [],
    breakingAt limits: [Int] = []
  ) throws -> LoopbackServer {
    let rest = Mutex(limits)
    return try LoopbackServer {
      LoopbackRoute("*") { request in
        let whole = Self.content
        var start = 0
        var head = "HTTP/1.1 200 OK\r\n"
        if let range = request.header("Range"), request.header("If-Range") == tag, tag != nil,
          let first = Int(range.dropFirst(6).dropLast())
        {
          guard first < whole.count else {
            return .response(status: 416, headers: ["Content-Range": "bytes */\(whole.count)"])
          }
          start = first
          head = "HTTP/1.1 206 Partial Content\r\n"
          head += "Content-Range: bytes \(start)-\(whole.count - 1)/\(whole.count)\r\n"
        }
        if let tag { head += "ETag: \(tag)\r\n" }
        for (name, value) in extra { head += "\(name): \(value)\r\n" }
        head += "Content-Length: \(whole.count - start)\r\n\r\n"
        let limit = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let limit else { return [.bytes(head), .bytes(whole[start...])] }
        return [.bytes(head), .bytes(whole[start...].prefix(limit)), .close]
      }
    }
  }

  @Test(arguments: Form.allCases, Engine.allCases)
  func `a download leaves only the file`(_ form: Form, _ engine: Engine) async throws {
    let server = try makeServer()
    defer { server.stop() }
    try Data("old".utf8).write(to: file)

    let result = await form.load(.download(server.url("/"), to: file), with: Client(engine))

    let download = try result.get()
    #expect(download.size == Self.content.count)
    #expect(download.resumedSize == 0)
    #expect(download.response.body.isEmpty)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
    #expect(server.requests.first?.header("Accept-Encoding") == "identity")
  }

  @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000], [false, true])
  func `a download is complete for a body of any size`(
    _ size: Int, _ resuming: Bool
  ) async throws {
    let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: \(size)\r\n\r\n"
        return [.bytes(head), .bytes(body)]
      }
    }
    defer { server.stop() }

    let resource = Resource.download(server.url("/"), to: file, resuming: resuming)
    let download = try await Client().load(resource)

    #expect(download.size == size)
    #expect(try Data(contentsOf: file) == body)
    #expect(try directory.names == ["file.bin"])
  }

  @Test(arguments: Engine.allCases)
  func `a large download, which is written to the disk early, is complete`(_ engine: Engine)
    async throws
  {
    let (block, count) = (Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }), 70)
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(block.count * count)\r\n\r\n"
        return [.bytes(head), .repeating(block, count: count)]
      }
    }
    defer { server.stop() }

    _ = try await Client(engine).load(.download(server.url("/"), to: file))

    let content = try FileHandle(forReadingFrom: file)
    for _ in 0..<count { #expect(try content.read(upToCount: block.count) == block) }
    #expect(try content.readToEnd() ?? Data() == Data())
  }

  @Test func `a URLSession can download`() async throws {
    let server = try makeServer()
    defer { server.stop() }

    _ = try await makeSession().load(.download(server.url("/"), to: file))

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
  }

  @Test func `a stub can download`() async throws {
    let loader = StubLoader()
    loader.stub("*", .response(body: Self.content))

    let download = try await loader.load(.download(.get("/x"), to: file))

    #expect(download.size == Self.content.count)
    #expect(try directory.names == ["file.bin"])
  }

  @Test(arguments: Engine.allCases)
  func `an empty body is an empty file`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "") } }
    defer { server.stop() }

    #expect(try await Client(engine).load(.download(server.url(), to: file)).size == 0)
    #expect(try Data(contentsOf: file).isEmpty)
  }

  @Test(arguments: [404, 500, 416], Engine.allCases)
  func `an error's body isn't written to the file`(_ status: Int, _ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in .json(#"{"message": "no"}"#, status: status) }
    }
    defer { server.stop() }
    try Data("old".utf8).write(to: file)

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: file, resuming: true))
    }

    #expect(error?.kind == .status)
    #expect(error?.serverMessage == "no")
    #expect(try Data(contentsOf: file) == Data("old".utf8))
    #expect(try directory.names == ["file.bin"])
  }

  @Test(arguments: Engine.allCases)
  func `a download that breaks leaves nothing behind`(_ engine: Engine) async throws {
    let server = try makeServer(breakingAt: [100_000])
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: file))
    }

    #expect(error?.kind == .connection)
    #expect(try directory.names.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a download that breaks is resumed by the next load`(_ engine: Engine) async throws {
    let server = try makeServer(breakingAt: [100_000, 50_000])
    defer { server.stop() }
    let resource = Resource.download(server.url(), to: file, resuming: true)

    for _ in 1...2 {
      await #expect(throws: LoadError.self) { try await Client(engine).load(resource) }
    }
    #expect(try directory.names == ["file.bin.part", "file.bin.part.json"])
    let download = try await Client(engine).load(resource)

    #expect(try Data(contentsOf: file) == Self.content)
    #expect(try directory.names == ["file.bin"])
    #expect(download.resumedSize == 150_000)
    #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=100000-", "bytes=150000-"])
    #expect(server.requests.last?.header("If-Range") == #""v1""#)
  }

  @Test(arguments: Engine.allCases)
  func `a retry resumes the download where the previous attempt broke`(_ engine: Engine)
    async throws
  {
    let server = try makeServer(breakingAt: [100_000, 50_000])
    defer { server.stop() }
    let client = Client(engine) { $0.middleware = [RetryMiddleware(.init(backoff: .none))] }
    let steps = Mutex<[TransferProgress]>([])

    let download = try await client.load(
      Resource.download(server.url(), to: file, resuming: true).onProgress { step in
        steps.withLock { $0.append(step) }
      })

    #expect(download.resumedSize == 150_000)
    #expect(try Data(contentsOf: file) == Self.content)
    let told = steps.withLock(\.self)
    #expect(told.map(\.completed) == told.map(\.completed).sorted())
    #expect(told.last?.completed == Self.content.count)
    #expect(told.allSatisfy { $0.total == Self.content.count })
  }

  @Test(arguments: Engine.allCases)
  func `changed content is loaded from its beginning`(_ engine: Engine) async throws {
    let first = try makeServer(breakingAt: [100_000])
    await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(first.url("/f"), to: file, resuming: true))
    }
    let port = first.port
    first.stop()
    var configuration = LoopbackServer.Configuration()
    configuration.port = UInt16(port)
    let second = try LoopbackServer(configuration) {
      LoopbackRoute("*") { request in
        #expect(request.header("If-Range") == #""v1""#)
        return .response(body: "all new")
      }
    }
    defer { second.stop() }

    let download = try await Client(engine).load(
      .download(second.url("/f"), to: file, resuming: true))

    #expect(download.resumedSize == 0)
    #expect(try Data(contentsOf: file) == Data("all new".utf8))
    #expect(second.requests.first?.header("Range") == "bytes=100000-")
  }

  @Test(arguments: [nil, #"W/"v1""#], Engine.allCases)
  func `without a strong validator nothing is kept`(_ tag: String?, _ engine: Engine) async throws {
    let server = try makeServer(tag: tag, breakingAt: [100_000])
    defer { server.stop() }

    await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: file, resuming: true))
    }

    #expect(try directory.names.isEmpty)
  }

  @Test(
    arguments: [
      ("Fri, 01 Jan 2021 00:00:00 GMT", true), ("Fri, 01 Jan 2021 11:59:01 GMT", false),
    ], Engine.allCases)
  func `a date of modification is a validator if it is old enough`(
    _ row: (date: String, isKept: Bool), _ engine: Engine
  ) async throws {
    let server = try makeServer(
      tag: nil,
      extra: [("Last-Modified", row.date), ("Date", "Fri, 01 Jan 2021 12:00:00 GMT")],
      breakingAt: [100_000])
    defer { server.stop() }

    await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: file, resuming: true))
    }

    #expect(try directory.names.isEmpty == !row.isKept)
  }

  @Test(arguments: Engine.allCases)
  func `a part that is already complete becomes the file`(_ engine: Engine) async throws {
    let server = try makeServer()
    defer { server.stop() }
    try Self.content.write(to: directory.url.appending(path: "file.bin.part"))
    let hash = SecureHash.hexadecimal(
      SecureHash.sha256(server.url("/").absoluteString.utf8))
    let record = #"{"urlHash": "\#(hash)", "validator": "\"v1\"", "total": 300000}"#
    try Data(record.utf8).write(to: directory.url.appending(path: "file.bin.part.json"))

    let download = try await Client(engine).load(
      .download(server.url("/"), to: file, resuming: true))

    #expect(download.size == Self.content.count)
    #expect(server.requests.count == 1)
    #expect(try directory.names == ["file.bin"])
  }

  @Test(
    arguments: [
      "bytes 0-299999/300000", "bytes 99999-299999/300000", "bytes 100000-299999/300001",
      "bytes 100000-299998/300000", "rubbish", "",
    ], Engine.allCases)
  func `a part that doesn't continue the file is refused, and everything is loaded`(
    _ range: String, _ engine: Engine
  ) async throws {
    let count = Mutex(0)
    let server = try LoopbackServer {
      LoopbackRoute("*") { request in
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 2 {
          let body = Self.content[100_000...]
          return [
            .bytes("HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: \(range)\r\n"),
            .bytes("Content-Length: \(body.count)\r\n\r\n"), .bytes(body),
          ]
        }
        let head = "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 300000\r\n\r\n"
        return number == 1
          ? [.bytes(head), .bytes(Self.content.prefix(100_000)), .close]
          : [.bytes(head), .bytes(Self.content)]
      }
    }
    defer { server.stop() }
    let resource = Resource.download(server.url(), to: file, resuming: true)

    await #expect(throws: LoadError.self) { try await Client(engine).load(resource) }
    let download = try await Client(engine).load(resource)

    #expect(download.resumedSize == 0)
    #expect(try Data(contentsOf: file) == Self.content)
    #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=100000-", nil])
  }

  @Test(arguments: Engine.allCases)
  func `two simultaneous downloads into one file don't mix`(_ engine: Engine) async throws {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nContent-Length: 300000\r\n\r\n"),
          .wait(gate), .bytes(Self.content),
        ]
      }
    }
    defer { server.stop() }
    let resource = Resource.download(server.url(), to: file, resuming: true)

    async let first = Client(engine).load(resource)
    try await gate.waitForArrivals(count: 1)
    let error = await #expect(throws: LoadError.self) { try await Client(engine).load(resource) }
    gate.open()

    #expect(error?.kind == .file)
    let size = try await first.size
    #expect(size == Self.content.count)
    #expect(try directory.names == ["file.bin"])
  }

  @Test(arguments: Engine.allCases)
  func `a missing directory is an error before anything is sent`(_ engine: Engine) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let nowhere = directory.url.appending(path: "missing/file.bin")

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: nowhere))
    }

    #expect(error?.kind == .file)
    #expect(error?.advice == "Create the directory before")
    #expect(error?.reason.contains("the file \(nowhere.path(percentEncoded: false)) can't") == true)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: Engine.allCases, [false, true])
  func `a file doesn't replace a pipe`(_ engine: Engine, resuming: Bool) async throws {
    let server = try makeServer()
    defer { server.stop() }
    try #require(mkfifo(file.path(percentEncoded: false), 0o600) == 0)

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: file, resuming: resuming))
    }

    #expect(error?.kind == .file)
    #expect(error?.reason.contains("it is a device, a pipe or a socket") == true)
    #expect(server.requests.isEmpty)
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path())
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
  }

  @Test(arguments: ["http://example.org\(FileManager.default.temporaryDirectory.path())/x", "x"])
  func `a URL that isn't a file URL is an error before anything is sent`(_ text: String)
    async throws
  {
    let server = try makeServer()
    defer { server.stop() }
    let target = try #require(URL(string: text))

    let error = await #expect(throws: LoadError.self) {
      try await Client().load(.download(server.url(), to: target))
    }

    #expect(error?.kind == .file)
    #expect(error?.reason.hasSuffix("which isn't a file URL") == true)
    #expect(server.requests.isEmpty)
  }

  @Test func `a path with a NUL is an error`() async throws {
    let server = try makeServer()
    defer { server.stop() }
    let target = URL(filePath: file.path(percentEncoded: false) + "\0.bin")

    let error = await #expect(throws: LoadError.self) {
      try await Client().load(.download(server.url(), to: target))
    }

    #expect(error?.kind == .file)
    #expect(!FileManager.default.fileExists(atPath: file.path()))
  }

  @Test(arguments: Engine.allCases)
  func `a directory with the file's name is an error that leaves nothing behind`(_ engine: Engine)
    async throws
  {
    let server = try makeServer()
    defer { server.stop() }
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(server.url(), to: file, resuming: true))
    }

    #expect(error?.kind == .file)
    #expect(try directory.names == ["file.bin"])
  }

  @Test(arguments: Engine.allCases)
  func `a cancelled download leaves nothing behind`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n0123456789"), .silence]
      }
    }
    defer { server.stop() }
    let arrived = Gate()
    let load = CancellableLoad(
      .await, Resource.download(server.url(), to: file).onProgress { _ in arrived.open() },
      with: Client(engine))

    try await arrived.opened()
    load.cancel()

    #expect(await load.result.failure is CancellationError)
    try await server.waitForDisconnects(count: 1)
    #expect(try directory.names.isEmpty)
  }

  @Test(arguments: Engine.allCases)
  func `a download that times out leaves nothing behind`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n0123456789"), .silence]
      }
    }
    defer { server.stop() }
    var request = Request(url: server.url())
    request.options.timeout = .milliseconds(200)

    let error = await #expect(throws: LoadError.self) {
      try await Client(engine).load(.download(request, to: file))
    }

    #expect(error?.kind == .timedOut)
    #expect(try directory.names.isEmpty)
  }
}

extension DownloadTests {
  private func permissions(_ name: String) throws -> Int? {
    let path = directory.url.appending(path: name).path(percentEncoded: false)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue
  }

  @Test(arguments: [nil, 0o644, 0o600, 0o755], [false, true])
  func `a download keeps the permissions of the file it replaces, and is private otherwise`(
    _ mode: Int?, _ resuming: Bool
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    if let mode {
      try Data("old".utf8).write(to: file)
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: file.path(percentEncoded: false))
    }

    _ = try await Client().load(.download(server.url("/"), to: file, resuming: resuming))

    #expect(try permissions("file.bin") == mode ?? 0o600)
    #expect(try Data(contentsOf: file) == Self.content)
  }

  @Test func `only the owner can read a part and its record, which contain no secret`()
    async throws
  {
    let server = try makeServer(breakingAt: [100_000])
    defer { server.stop() }
    // An earlier version may have left such a file.
    try Data().write(to: directory.url.appending(path: "file.bin.part"))

    await #expect(throws: LoadError.self) {
      try await Client().load(
        .download(server.url("/f?X-Amz-Signature=s3cr3t"), to: file, resuming: true))
    }

    #expect(try permissions("file.bin.part") == 0o600)
    #expect(try permissions("file.bin.part.json") == 0o600)
    let record = try String(
      contentsOf: directory.url.appending(path: "file.bin.part.json"), encoding: .utf8)
    #expect(record.contains("validator"))
    #expect(!record.contains("s3cr3t") && !record.contains("127.0.0.1"))
  }

  @Test(arguments: ["file.bin.part", "file.bin.part.json", ".file.bin.part"], [false, true])
  func `nothing is written through a symbolic or hard link`(
    _ name: String, _ isSymbolic: Bool
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let victim = try TemporaryFile("precious")
    let link = directory.url.appending(path: name)
    if isSymbolic {
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim.url)
    } else {
      try FileManager.default.linkItem(at: victim.url, to: link)
    }

    let error = await #expect(throws: LoadError.self) {
      try await Client().load(
        .download(server.url("/"), to: file, resuming: name.hasPrefix("file")))
    }

    #expect(error?.kind == .file)
    #expect(try Data(contentsOf: victim.url) == Data("precious".utf8))
  }

  @Test func `a record in another format is ignored`() async throws {
    let server = try makeServer()
    defer { server.stop() }
    for record in ["", "{", #"{"url": "x", "validator": "\"v1\""}"#, "[]"] {
      try Self.content.prefix(1000).write(to: directory.url.appending(path: "file.bin.part"))
      try Data(record.utf8).write(to: directory.url.appending(path: "file.bin.part.json"))

      let download = try await Client().load(
        .download(server.url("/"), to: file, resuming: true))

      #expect(download.resumedSize == 0)
      #expect(try Data(contentsOf: file) == Self.content)
    }
    #expect(server.requests.allSatisfy { $0.header("Range") == nil })
  }
}

/// A directory that is removed with its last copy.
final class TemporaryDirectory: Sendable {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory.appending(path: "download-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false)).sorted()
    }
  }
}
