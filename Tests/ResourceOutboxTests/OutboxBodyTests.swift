import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct OutboxBodyTests {
  private func withFile(
    _ body: (URL, Data) async throws -> Void
  ) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "photo-\(UUID().uuidString)")
    let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try bytes.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await body(file, bytes)
  }

  @Test func `files are copied for their user only, sent after a restart, and removed`()
    async throws
  {
    try await withFile { file, bytes in
      var fixture = try OutboxFixture()
      fixture.settings.maximumConcurrency = 0
      let (store, outbox) = try await fixture.open()
      let multipart = Multipart([
        .field("title", "a"), .file("photo", file), .data("small", Data("b".utf8)),
      ])
      let sent = try Request.Body.multipart(multipart).data()
      try await outbox.add(.post("/photos").multipart(multipart), as: "1")
      try await outbox.add(.put("/raw").body(.file(file, as: "image/png")), as: "2")
      let stream = Request.Body.stream {
        AsyncStream<Data> { continuation in
          continuation.yield(bytes)
          continuation.finish()
        }
      }
      try await outbox.add(.put("/stream").body(stream), as: "3")
      try FileManager.default.removeItem(at: file)
      #expect(fixture.bodies.count == 3)
      let folder = fixture.database.file.path(percentEncoded: false) + "-outbox/"
      for name in fixture.bodies {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + name)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
      await outbox.close()
      await store.close()

      fixture.settings.maximumConcurrency = 4
      fixture.transport.stub("*", .status(200))
      let received = ReceivedBodies()
      for path in ["/v1/photos", "/v1/raw", "/v1/stream"] {
        fixture.transport.stub(path) { request in
          received.note(request)
          return .status(200)
        }
      }
      let (_, next) = try await fixture.open()
      try await next.wait(until: \.isEmpty)
      await next.close()

      #expect(received["/v1/photos"] == sent)
      #expect(received["/v1/raw"] == bytes)
      #expect(received["/v1/stream"] == bytes)
      let photos = fixture.transport.requests.first { $0.url.path() == "/v1/photos" }
      #expect(photos?.headers[.contentType] == multipart.mediaType.rawValue)
      #expect(fixture.bodies == [])
    }
  }

  @Test
  func `a referenced file is read during sending, and parks the entry if it has changed`()
    async throws
  {
    try await withFile { file, bytes in
      let fixture = try OutboxFixture()
      fixture.transport.stub("*", .status(200))
      let (_, outbox) = try await fixture.open()
      let first = try await outbox.add(.put("/a").body(.file(file)), as: "a") {
        $0.files = .referenced
      }
      _ = try await first.answer()
      try await outbox.pause()
      let second = try await outbox.add(.put("/b").body(.file(file)), as: "b") {
        $0.files = .referenced
      }
      #expect(fixture.bodies == [])
      try Data("short".utf8).write(to: file)
      try await outbox.resume()

      let error = await #expect(throws: LoadError.self) { try await second.answer() }

      #expect(error?.kind == .invalidRequest)
      #expect(FileManager.default.fileExists(atPath: file.path(percentEncoded: false)))
      #expect(fixture.sent == ["PUT /v1/a"])
      await outbox.close()
    }
  }

  @Test func `files of runs that ended before their commit are removed, those of entries kept`()
    async throws
  {
    var fixture = try OutboxFixture()
    fixture.settings.maximumConcurrency = 0
    let (store, outbox) = try await fixture.open()
    try await outbox.add(.put("/a").body(.data(Data(count: 100_000))), as: "a")
    let folder = URL(filePath: fixture.database.file.path(percentEncoded: false) + "-outbox")
    await outbox.close()
    try Data("x".utf8).write(to: folder.appending(path: "gone.1.body"))
    try Data().write(to: folder.appending(path: "gone.session"))

    let next = try await Outbox(store: store, client: fixture.client, settings: fixture.settings)

    #expect(fixture.bodies.count == 1 && fixture.bodies != ["gone.1.body"])
    await next.close()
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    #expect(names == fixture.bodies)
  }
}
