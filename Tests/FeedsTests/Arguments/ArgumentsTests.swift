import Foundation
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct ArgumentsTests {
  @Test func `an empty command line reads the kept feeds`() throws {
    let arguments = try Arguments([])

    #expect(arguments.urls.isEmpty)
    #expect(arguments.limit == 20)
    #expect(arguments.concurrency == 8)
    #expect(arguments.timeout == .seconds(30))
    #expect(arguments.action == .read)
    #expect(arguments.database == nil)
  }

  @Test func `options choose the form and the library`() throws {
    let arguments = try Arguments(["--json", "--offline", "--database=a/b.sqlite"])

    #expect(arguments.wantsJSON && arguments.isOffline)
    #expect(arguments.database == "a/b.sqlite")
    #expect(try Arguments(["--database", ":memory:"]).database == Library.memory)
  }

  @Test func `feeds are listed and removed by name`() throws {
    #expect(try Arguments(["--list"]).action == .list)
    #expect(try Arguments(["--demo"]).action == .demonstrate)
    #expect(
      try Arguments(["Night Sky", "--remove", "http://a.example/"]).action
        == .remove(["Night Sky", "http://a.example/"]))
  }

  @Test(arguments: [
    ["--limit", "5", "--concurrency", "2", "--timeout", "1.5", "http://a.example/f"],
    ["http://a.example/f", "--limit=5", "--concurrency=2", "--timeout=1.5"],
    ["-n", "5", "--timeout=1.5", "--concurrency=2", "--", "http://a.example/f"],
  ])
  func `options may stand anywhere, with their values behind a space or =`(
    _ words: [String]
  ) throws {
    let arguments = try Arguments(words)

    #expect(arguments.urls == [URL(known: "http://a.example/f")])
    #expect(arguments.limit == 5)
    #expect(arguments.concurrency == 2)
    #expect(arguments.timeout == .milliseconds(1500))
  }

  @Test(arguments: [["--help"], ["-h"], ["--limit", "3", "-h"], ["--help", "--nonsense"]])
  func `-h and --help show the help`(_ words: [String]) throws {
    #expect(try Arguments(words).action == .help)
  }

  @Test(arguments: [
    (["--nonsense"], "unknown option --nonsense"),
    (["--help=yes"], "unknown option --help, or it takes no value"),
    (["-x"], "unknown option -x"),
    (["--limit"], "--limit needs a value"),
    (["--limit", "0"], "--limit takes a number from 1 to 100000, not \"0\""),
    (["--limit=many"], "--limit takes a number from 1 to 100000, not \"many\""),
    (["--concurrency", "-1"], "--concurrency takes a number from 1 to 1000, not \"-1\""),
    (["--timeout", "soon"], "--timeout takes seconds from 0.001 to 86400, not \"soon\""),
    (["--timeout", "nan"], "--timeout takes seconds from 0.001 to 86400, not \"nan\""),
    (["--timeout", "0"], "--timeout takes seconds from 0.001 to 86400, not \"0\""),
    (["feed.json"], "\"feed.json\" is no http or https URL"),
    (["ftp://a.example/"], "\"ftp://a.example/\" is no http or https URL"),
    (["http:///nowhere"], "\"http:///nowhere\" is no http or https URL"),
    (["--", "--limit"], "\"--limit\" is no http or https URL"),
    ([""], "\"\" is no http or https URL"),
    (["--database="], "--database takes the path of a file, not \"\""),
    (["--remove"], "--remove needs the URL or the title of a feed"),
    (["--list", "--remove", "a"], "--demo, --list and --remove don't go together"),
    (["--list", "http://a.example/"], "\"http://a.example/\" doesn't go with --list"),
  ])
  func `the error of a wrong command line names the mistake`(_ words: [String], _ reason: String) {
    #expect(throws: UsageError(reason)) { try Arguments(words) }
  }
}
