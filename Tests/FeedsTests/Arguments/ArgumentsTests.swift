import Foundation
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct ArgumentsTests {
  @Test func `an empty command line reads the kept feeds`() throws {
    #expect(try Arguments([]) == Arguments())
  }

  @Test func `options may come before and after URLs`() throws {
    let arguments = try Arguments([
      "--json", "http://a.example/f", "--database", "a/b.sqlite", "--offline", "-n", "5",
      "https://b.example",
    ])

    #expect(arguments.urls.map(\.absoluteString) == ["http://a.example/f", "https://b.example"])
    #expect(arguments.wantsJSON && arguments.isOffline)
    #expect(arguments.database == "a/b.sqlite")
    #expect(arguments.limit == 5)
    #expect(try Arguments(["--follow", "--every", "60"]).interval == .seconds(60))
    #expect(try Arguments(["--inspect", "loads.html"]).inspection == "loads.html")
    #expect(try Arguments(["--help"]).wantsHelp)
  }

  @Test(arguments: [
    (["--limit", "0"], "--limit takes a number from 1 to 100000, not \"0\""),
    (["--every", "x"], "--every takes a number from 1 to 86400, not \"x\""),
    (["--database"], "--database needs a value"),
    (["--nonsense"], "unknown option --nonsense"),
    (["a.example"], "\"a.example\" is no http or https URL"),
    (["file:///etc/passwd"], "\"file:///etc/passwd\" is no http or https URL"),
    (["http://"], "\"http://\" is no http or https URL"),
    (["--follow", "--json"], "--follow doesn't go with --offline and --json"),
    (["--offline", "--follow"], "--follow doesn't go with --offline and --json"),
  ])
  func `a command line that makes no sense is an error`(_ words: [String], _ reason: String) {
    #expect(throws: UsageError(reason)) { try Arguments(words) }
  }

  @Test(arguments: [
    "--limit", "--database", "--offline", "--json", "--follow", "--every", "--inspect",
    "--help",
  ])
  func `the help names each option`(_ option: String) {
    #expect(Help.text.contains(option))
  }
}
