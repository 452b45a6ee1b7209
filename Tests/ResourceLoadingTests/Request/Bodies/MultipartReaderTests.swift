import Foundation
import ResourceLoading
import TestSupport
import Testing

/// Multipart bodies, read back by Python's `email` package.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct MultipartReaderTests {
  private static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/python3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Prints a line of JSON for each part.
  private static let reader = """
    import sys, json, email, email.policy
    body = open(sys.argv[2], 'rb').read()
    head = ('MIME-Version: 1.0\\r\\nContent-Type: ' + sys.argv[1] + '\\r\\n\\r\\n').encode()
    message = email.message_from_bytes(head + body, policy=email.policy.HTTP)
    assert message.is_multipart() and not message.defects, message.defects
    for part in message.iter_parts():
        assert not part.defects, part.defects
        print(json.dumps([part.get_param('name', header='content-disposition'), part.get_filename(),
            part.get_content_type(), part.get_payload(decode=True).hex()]))
    """

  @Test(.enabled(if: python != nil, "needs python3"))
  func `an independent reader finds all parts`() throws {
    let every = Data((0...255).map { UInt8($0) })
    let file = try TemporaryFile("line\r\n\r\n--x\r\nline\n")
    let multipart: Multipart = [
      .field("title", "Sunrise"), .field("empty", ""), .field("lines", "a\r\n\r\nb\r\n"),
      .data("bytes", every, filename: "every byte.bin"),
      .file("file", file.url, filename: "a.txt", as: "text/plain; charset=utf-8"),
      .field("tab\tbed", "t"), .json("meta", ["rating": 5]),
      .data("quo\"te", Data("q".utf8), filename: "new\nline"),
    ]
    let body = Request.Body.multipart(multipart)

    let parts = try read(body)

    #expect(
      parts == [
        ["title", nil, "text/plain", hex("Sunrise")], ["empty", nil, "text/plain", ""],
        ["lines", nil, "text/plain", hex("a\r\n\r\nb\r\n")],
        ["bytes", "every byte.bin", "application/octet-stream", hex(every)],
        ["file", "a.txt", "text/plain", hex("line\r\n\r\n--x\r\nline\n")],
        ["tab\tbed", nil, "text/plain", hex("t")],
        ["meta", nil, "application/json", hex(#"{"rating":5}"#)],
        ["quo%22te", "new%0Aline", "application/octet-stream", hex("q")],
      ])
  }

  private func read(_ body: Request.Body) throws -> [[String?]] {
    let file = try TemporaryFile(try body.data())
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.python))
    process.arguments = ["-c", Self.reader, body.mediaType?.rawValue ?? "", file.url.path()]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let lines = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try lines.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode([String?].self, from: $0)
    }
  }

  private func hex(_ text: String) -> String { hex(Data(text.utf8)) }

  private func hex(_ data: Data) -> String {
    data.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
