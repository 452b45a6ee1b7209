// Uploads of large files that survive the network and the process: videos that go to a server.
//
// What it shows: a request that uploads a file and is resumed, an outbox that keeps it, events for a
// progress list, and an answer that is read once it is there.

import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceTesting
import Synchronization
import Testing

private struct Video: Decodable, Sendable {
  let id: String
}

extension OutboxKey {
  fileprivate static func video(_ file: URL) -> OutboxKey { "video \(file.lastPathComponent)" }
}

/// The videos that are on their way.
private struct VideoUploads: Sendable {
  let outbox: Outbox

  /// Has a video uploaded, now or as soon as there is a network, in this run or in a later one.
  func add(_ file: URL) async throws -> OutboxReceipt {
    try await outbox.add(
      .upload(.post("/videos"), file: file, as: "video/mp4"), as: .video(file))
  }
}

// MARK: - Tested

struct FileUploads {
  @Test(.timeLimit(.minutes(15)))
  func `a video goes on where the connection broke`() async throws {
    let received = Mutex(Data())
    let server = try LoopbackServer {
      LoopbackRoute(
        "OPTIONS /videos", .status(204, headers: ["Accept-Patch": "application/partial-upload"]))
      LoopbackRoute("POST /videos") { _ in .status(201, headers: ["Location": "/uploads/1"]) }
      LoopbackRoute("HEAD /uploads/1") { _ in
        let offset = "\(received.withLock(\.count))"
        return .status(204, headers: ["Upload-Offset": offset, "Upload-Complete": "?0"])
      }
      LoopbackRoute("PATCH /uploads/1", answers: .beforeBody) { request in
        guard request.header("Upload-Offset") == "0" else {
          return [
            .readBody,
            .proceed { request in
              received.withLock { $0 += request.body }
              return .response(
                headers: ["Upload-Complete": "?1", "Content-Type": "application/json"],
                body: #"{"id": "v1"}"#)
            },
          ]
        }
        return [
          .readBody(upTo: 100_000),
          .proceed { request in
            received.withLock { $0 = request.body }
            return .reset
          },
        ]
      }
    }
    defer { server.stop() }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).mp4")
    let content = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let store = try await SQLiteStore.inMemory()
    let outbox = try await Outbox(store: store, client: Client(baseURL: server.url()))

    let receipt = try await VideoUploads(outbox: outbox).add(file)
    let answer = try await receipt.answer()

    #expect(try JSONDecoder().decode(Video.self, from: answer.body).id == "v1")
    #expect(received.withLock(\.self) == content)
    #expect(server.requests.filter { $0.method == "PATCH" }.count == 2)
    await outbox.close()
  }
}
