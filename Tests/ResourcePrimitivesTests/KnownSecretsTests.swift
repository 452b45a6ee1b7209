import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourcePrimitives

/// Finds known texts in one pass.
@Suite(.timeLimit(.minutes(10)))
struct KnownSecretsTests {
  private func replaced(_ text: String, _ secrets: Set<String>...) -> String {
    let bytes = Array(text.utf8)
    let findings = KnownSecrets(secrets).findings(in: bytes)
    return String(decoding: SecretText.redact(bytes[...], findings), as: UTF8.self)
  }

  @Test(arguments: [
    ("a swordfish b swordfish", "a <redacted> b <redacted>"), ("swordfis", "swordfis"),
    ("swordfish2", "<redacted>"), ("swordfish3", "<redacted>3"), ("", ""),
    ("swordswordfish", "sword<redacted>"), ("short", "short"),
  ])
  func `the longest known text is replaced`(_ text: String, _ expected: String) {
    #expect(replaced(text, ["swordfish", "swordfish2", "short"]) == expected)
  }

  @Test func `nothing is left of secrets that begin within each other`() {
    #expect(replaced("a swordfishbone b", ["swordfish", "fishbone"]) == "a <redacted> b")
    #expect(replaced("swordfishfishbone", ["swordfish", "fishbone"]) == "<redacted><redacted>")
  }

  @Test func `the search finds what a slow search finds`() {
    var generator = SeededGenerator(seed: 7)
    let letters = Array("ab")
    func random(_ count: Int) -> String {
      String((0..<count).map { _ in letters[Int.random(in: 0...1, using: &generator)] })
    }
    for _ in 0..<300 {
      let secrets = Set((0..<8).map { _ in random(Int.random(in: 6...9, using: &generator)) })
      let text = random(60)
      var (expected, end) = ("", 0)
      for (place, letter) in text.enumerated() {
        let rest = text.dropFirst(place)
        let longest = secrets.filter { rest.hasPrefix($0) }.map(\.count).max()
        if longest != nil, place >= end { expected += "<redacted>" }
        end = max(end, place + (longest ?? 0))
        if place >= end { expected.append(letter) }
      }
      #expect(replaced(text, secrets) == expected)
    }
  }

  @Test func `a repeated part of a secret counts from 64 bytes on`() {
    let secret = (0..<100).map { String($0, radix: 36) }.joined()

    #expect(replaced("x\(secret.prefix(80))y", [secret]) == "x<redacted>y")
    #expect(replaced("x\(secret.prefix(60))y", [secret]) == "x\(secret.prefix(60))y")
  }

  @Test func `sent secrets take precedence over received ones, and long over short ones`() {
    let received = Set((0..<1000).map { "received-and-long-\($0)" })
    let text = "own-secret received-and-long-7"

    #expect(replaced(text, ["own-secret"], received).hasPrefix("<redacted> "))
    #expect(
      !KnownSecrets([["short-1", "much-longer-2"]]).findings(in: Array("short-1".utf8)).isEmpty)
  }

  // 64 secrets with the same beginning. Each position of the text begins one of them, but none is
  // complete.
  @Test func `a text takes linear time`() {
    let secrets = Set((0..<200).map { String(repeating: "a", count: 4000) + "\($0)" })
    let near = String(repeating: String(repeating: "a", count: 63) + "b", count: 500)

    #expect(replaced(near, secrets) == near)
    #expect(replaced(String(repeating: "a", count: 32_000), secrets).utf8.count < 1000)
  }
}
