// A set of large files: the parts of a model, from a manifest with their hashes.
//
// What it shows: a manifest that is JSON, downloads in several parts that are checked and go on
// after an interruption, one progress for all files, and files that aren't loaded twice.

import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import Testing

private struct Manifest: Decodable, Sendable {
  struct File: Decodable, Sendable {
    let path: String
    let size: Int
    let sha256: String
  }

  let files: [File]
}

extension Manifest.File {
  /// The file, in a directory.
  fileprivate func download(into directory: URL) -> Resource<Download> {
    .download(.get("/files/\(path)"), to: directory.appending(path: path)) {
      $0.parts = .automatic
      $0.size = size
      $0.digest = .sha256(sha256)
      $0.permissions = 0o644
    }
  }
}

/// Loads what is missing of a model.
///
/// - Returns: The paths of the files that couldn't be loaded.
private func loadModel(
  over client: Client, into directory: URL,
  progress: @escaping @Sendable (DownloadsProgress) -> Void
) async throws -> [String] {
  let files = try await client.load(Resource<Manifest>(json: .get("/manifest.json"))).files
  let downloads = client.downloads(
    files.map { $0.download(into: directory) }, maximumConcurrency: 2)
  var failed: [String] = []
  for await (index, result) in downloads.onProgress(progress) {
    if case .failure(let error) = result {
      print(files[index].path, error)
      failed.append(files[index].path)
    }
  }
  return failed
}

struct ModelDownloads {
  private static let manifest = """
    {"files": [
      {"path": "vocabulary.txt", "size": 3,
        "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"path": "empty.bin", "size": 0,
        "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"path": "broken.bin", "size": 3,
        "sha256": "0000000000000000000000000000000000000000000000000000000000000000"}
    ]}
    """

  @Test(.timeLimit(.minutes(15)))
  func `what can be loaded is loaded once, and what is wrong doesn't appear`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /manifest.json") { _ in .json(Self.manifest) }
      LoopbackRoute("GET /files/vocabulary.txt") { _ in .response(body: "abc") }
      LoopbackRoute("GET /files/empty.bin") { _ in .response(body: "") }
      LoopbackRoute("GET /files/broken.bin") { _ in .response(body: "abd") }
    }
    defer { server.stop() }
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let client = Client(baseURL: server.url("/"))
    let last = Mutex<DownloadsProgress?>(nil)

    let first = try await loadModel(over: client, into: directory) { step in
      last.withLock { $0 = step }
    }
    let requestsBefore = server.requests.count
    let second = try await loadModel(over: client, into: directory) { _ in }

    #expect(first == ["broken.bin"])
    #expect(last.withLock(\.self)?.completed == 2)
    #expect(last.withLock(\.self)?.failed == 1)
    // The second time only the manifest and the file that was wrong.
    #expect(second == ["broken.bin"])
    #expect(
      server.requests.dropFirst(requestsBefore).map(\.path)
        == ["/manifest.json", "/files/broken.bin"])
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path())
    #expect(names.sorted() == ["empty.bin", "vocabulary.txt"])
  }
}
