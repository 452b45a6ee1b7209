import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import feeds

/// The built program on a terminal.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct TerminalTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  private func session(_ words: String...) throws -> TerminalSession {
    try TerminalSession(["--database", workplace.database.path] + words, in: workplace)
  }

  /// The lines that remain visible.
  private func screen(_ output: String) -> [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.components(separatedBy: "\r\u{1B}[K").last ?? ""
    }
  }

  @Test func `a bar grows and disappears`() async throws {
    let (output, status) = try await session().end()

    #expect(status == 0)
    #expect(output.contains("\r\u{1B}[K███"))
    #expect(output.contains(" 6/6 "))
    let lines = screen(output)
    #expect(!lines.joined().contains("█"))
    #expect(lines.contains("1 of 6 feeds failed"))
  }

  @Test func `titles, links and names can't control the terminal`() async throws {
    let hostile = #"\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e"#
    let feed = """
      {"title": "A\(hostile)", "items": [{"id": "1\(hostile)", "title": "One\(hostile)",
       "url": "https://a.example/\(hostile)", "content_html": "\(hostile)&#27;[2J"}]}
      """
    let server = try LoopbackServer { LoopbackRoute("GET /a", .json(feed)) }
    defer { server.stop() }

    for form in [[], ["--json"]] {
      let (output, _) = try await TerminalSession(
        ["--database", workplace.database.path, server.url("/a").absoluteString] + form,
        in: workplace
      ).end()

      let shown = output.replacing("\r\u{1B}[K", with: "")
      #expect(
        !shown.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
      #expect(!shown.unicodeScalars.contains("\u{202E}"))
      #expect(shown.contains("A"))
    }
  }
}
