import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Uploads to tuspyserver, a tus server of others (pypi.org/project/tuspyserver). The tests are
/// skipped unless the environment variable `TUS_PYTHON` names a Python that has it and uvicorn.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(15)))
struct IndependentServerTests {
  private static let python = ProcessInfo.processInfo.environment["TUS_PYTHON"]

  private static let program = """
    import sys, uvicorn
    from fastapi import FastAPI
    from tuspyserver import create_tus_router
    app = FastAPI()
    app.include_router(create_tus_router(prefix="files", files_dir=sys.argv[1]))
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
    """

  /// Ends the first ten requests that bring bytes soon, wherever they are.
  private final class Interruptions: Middleware {
    private let count = Mutex(0)

    func respond(to request: Request, next: Next) async throws -> Response {
      guard request.method == .patch else { return try await next(request) }
      let number = count.withLock { count in
        count += 1
        return count
      }
      var request = request
      if number <= 10 { request.options.attemptTimeout = .milliseconds(20) }
      return try await next(request)
    }
  }

  @Test(.enabled(if: python != nil, "TUS_PYTHON names no Python with tuspyserver"))
  func `an independent tus server stores a file, however often it is interrupted`() async throws {
    let directory = TemporaryDirectory()
    let number = try UnservedPort(.refusing).port
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.python))
    process.arguments = ["-c", Self.program, directory.url.path, "\(number)"]
    try process.run()
    defer {
      // It would wait for open connections.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let client = Client(baseURL: URL(string: "http://127.0.0.1:\(number)")!) {
      $0.middleware = [RetryMiddleware(RetryPolicy(maximumAttempts: 100)), Interruptions()]
    }
    // It takes a while to begin.
    try await client.load(.void(Request.get("/openapi.json")))
    let file = directory.url.appending(path: "source")
    let content = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 4) })
    try content.write(to: file)

    let request = Request.upload(.post("/files/"), file: file) {
      $0.metadata = ["filename": "a.bin", "filetype": "application/octet-stream"]
      $0.maximumFailures = 10
    }
    try await client.load(.void(request))

    let stored = try FileManager.default.contentsOfDirectory(
      at: directory.url, includingPropertiesForKeys: nil
    ).filter { $0.lastPathComponent != "source" && $0.pathExtension.isEmpty }
    #expect(stored.contains { (try? Data(contentsOf: $0)) == content })
  }
}
