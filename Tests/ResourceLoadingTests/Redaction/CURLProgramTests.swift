import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Compares what the cURL text sends from a shell with what the library sends.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CURLProgramTests {
  private static let isThere = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/curl") }

  @Test(.enabled(if: isThere, "needs the program curl"))
  func `the text sends what the library sends`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let file = try TemporaryFile("in the file\r\n")
    let bodies: [Request.Body] = [
      .json(["it's", "\\ \" ü\n"]), .form(["q": "a b&c", "é": "ü"]),
      .file(file.url, as: "a/b"),
      .multipart([
        .field("title", "@x;y=\"z\""), .file("doc", file.url, filename: "d.txt", as: "text/plain"),
        .json("meta", ["rating": "\"5\\"]),
      ]),
    ]

    for body in bodies {
      let request = Request.put(server.url("/a%20b?q=it's")).header("X-One", "it's").body(body)
      let count = server.requests.count
      _ = try await makeSession().load(.void(request))
      try run(request.curlCommand)

      let arrived = Array(server.requests.dropFirst(count))
      try #require(arrived.count == 2)
      #expect(arrived[0].method == arrived[1].method && arrived[0].target == arrived[1].target)
      #expect(arrived[0].header("X-One") == arrived[1].header("X-One"))
      #expect(content(of: arrived[0]) == content(of: arrived[1]))
    }
  }

  /// The type and the body, with any boundary.
  private func content(of request: ReceivedRequest) -> String {
    let type = MediaType(rawValue: request.header("Content-Type") ?? "")
    let boundary = type.parameter("boundary") ?? "-"
    return (type.rawValue + "\n" + request.text).replacing(boundary, with: "BOUNDARY")
  }

  private func run(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", command.replacing(#/^curl/#, with: "curl --noproxy '*' -s -o /dev/null"),
    ]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(command)")
  }
}
