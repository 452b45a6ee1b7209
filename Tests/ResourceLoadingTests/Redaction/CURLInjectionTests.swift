import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// A pasted cURL line reads no file and has no option that the request doesn't name.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CURLInjectionTests {
  private static let isThere =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")
    && FileManager.default.isExecutableFile(atPath: "/bin/bash")

  @Test(arguments: [
    (
      Multipart.Part.data("x=@/etc/hostname;y", Data("a".utf8)),
      "-F 'x%3D@/etc/hostname;y=@<1 bytes>"
    ),
    (.field("x=</etc/hostname", "b"), "--form-string 'x%3D</etc/hostname=b'"),
    (.field("a", "@/etc/hostname"), "--form-string 'a=@/etc/hostname'"),
    (
      .json("m", ["a": 1]), #"-F 'm="{\"a\":1}";type=application/json'"#
    ),
    (
      Multipart.Part("t", .data(Data("{}".utf8), as: "application/json;headers=@/etc/hostname")),
      #"-F 't="{}"'"#
    ),
  ])
  func `no part lets cURL read a file`(_ part: Multipart.Part, _ words: String) {
    let command = Request.post("p").multipart([part]).curlCommand

    #expect(command.contains(words), "\(command)")
  }

  @Test func `no name, value or path becomes an option or a file`() {
    let request = Request(
      .get, "-K/etc/passwd", query: QueryItems(encoded: "a=[1-9]{b}"),
      headers: ["@/etc/hostname": "1", "X-Empty": ""])

    #expect(
      request.curlCommand.hasPrefix("curl -H '%40%2Fetc%2Fhostname: 1' -H 'X-Empty;' "))
    #expect(request.curlCommand.contains("--url '-K/etc/passwd"))
  }

  @Test(.enabled(if: isThere, "needs the program curl"))
  func `a file that the request doesn't name isn't sent`() async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
    defer { server.stop() }
    let file = try TemporaryFile("swordfish")
    let path = file.url.path()
    let names = ["x=@\(path);y", "x=<\(path)", "@\(path)", "x=\"@\(path)\"", "\(path)\u{1B}\n"]

    for name in names {
      let parts: [Multipart.Part] = [
        .field(name, "@\(path)"), .json(name, "@\(path)"),
        .data("a", Data("\"b\"".utf8), as: .init(rawValue: "application/json;headers=@\(path)")),
      ]
      for part in parts {
        let request = Request.post(server.url("/")).multipart([part]).header("X", "@\(path)")
        try run(request.curlCommand)
      }
    }

    #expect(server.requests.count == 3 * names.count)
    #expect(!server.requests.contains { $0.text.contains("swordfish") })
    #expect(!server.requests.contains { $0.headers.contains { $0.value.contains("swordfish") } })
  }

  private func run(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", "curl --noproxy '*' -s -o /dev/null" + command.dropFirst(4)]
    try process.run()
    process.waitUntilExit()
  }
}
