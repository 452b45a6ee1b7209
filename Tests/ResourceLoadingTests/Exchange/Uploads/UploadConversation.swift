import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// What a protocol's text shows of an upload: requests, and the answers to them.
final class UploadConversation: Sendable {
  /// A request that is expected, and its answer.
  struct Turn: Sendable {
    /// The method and the target.
    var request: String
    /// Some of its headers; `nil` for one that it must not have.
    var headers: [String: String?] = [:]
    /// The bytes of the file that it brings.
    var bytes: Range<Int> = 0..<0
    /// The interim responses before the body is read.
    var interim: [KeyValuePairs<String, String>] = []
    /// The head of the answer without its first line's version; `nil` if the connection is closed
    /// without one.
    var answer: String?
    var body = ""
  }

  private let turns: [Turn]
  private let count = Mutex(0)
  private let server: LoopbackServer
  private let directory = TemporaryDirectory()
  private let content: Data

  init(_ content: Data, _ turns: [Turn]) throws {
    (self.content, self.turns) = (content, turns)
    let script = Mutex<(@Sendable () -> Script)?>(nil)
    server = try LoopbackServer {
      LoopbackRoute("*", answers: .beforeBody) { _ in script.withLock(\.self)?() ?? .close }
    }
    script.withLock { $0 = { [weak self] in self?.next() ?? .close } }
  }

  deinit { server.stop() }

  /// Returns bytes of which none is like its neighbour.
  static func content(_ size: Int) -> Data {
    Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 37 >> 2) })
  }

  private func next() -> Script {
    let number = count.withLock { count in
      defer { count += 1 }
      return count
    }
    guard turns.indices.contains(number) else { return [.readBody, .status(599)] }
    let turn = turns[number]
    let interim = Script(turn.interim.map { .informational(104, headers: $0) })
    guard let answer = turn.answer else { return [interim, .readBody, .halfClose] }
    var head = "HTTP/1.1 \(answer.replacing("\n", with: "\r\n"))\r\n"
    if !answer.hasPrefix("204"), !turn.request.hasPrefix("HEAD") {
      head += "Content-Length: \(turn.body.utf8.count)\r\n"
    }
    return [interim, .readBody, .bytes(head + "\r\n" + turn.body)]
  }

  /// Uploads the content, and checks that each request is as expected and that there are no others.
  ///
  /// - Returns: The response.
  func upload(
    _ request: Request, by resuming: UploadResumption, _ engine: Engine = .curl,
    _ configure: (inout UploadOptions) -> Void = { _ in }
  ) async throws -> Result<Response, LoadError> {
    let file = directory.url.appending(path: "a.bin")
    try content.write(to: file)
    let upload = Request.upload(request, file: file, resuming: resuming, configure)
    let client = Client(engine, baseURL: server.url())
    let result: Result<Response, LoadError>
    do {
      result = .success(try await client.load(Resource(upload) { $0 }))
    } catch let error as LoadError { result = .failure(error) }
    let requests = server.requests
    #expect(requests.map { "\($0.method) \($0.target)" } == turns.map(\.request))
    for (request, turn) in zip(requests, turns) {
      for (name, value) in turn.headers {
        #expect(request.header(name) == value, "\(name) of \(turn.request)")
      }
      #expect(request.body == content[turn.bytes], "the bytes of \(turn.request)")
    }
    return result
  }
}
