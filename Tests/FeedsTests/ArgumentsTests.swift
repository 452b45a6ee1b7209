import Foundation
import Testing

@testable import feeds

struct ArgumentsTests {
  @Test func `no words ask for the recorded feeds`() throws {
    let arguments = try Arguments([])

    #expect(arguments.urls.isEmpty)
    #expect(arguments.count == 20)
    #expect(arguments.concurrency == 8)
    #expect(arguments.timeout == .seconds(30))
    #expect(!arguments.wantsHelp)
  }

  @Test(arguments: [
    ["--count", "5", "--concurrency", "2", "--timeout", "1.5", "http://a.example/f"],
    ["http://a.example/f", "--count=5", "--concurrency=2", "--timeout=1.5"],
    ["-n", "5", "--timeout=1.5", "--concurrency=2", "--", "http://a.example/f"],
  ])
  func `options stand anywhere, with their value behind a space or a sign`(
    _ words: [String]
  ) throws {
    let arguments = try Arguments(words)

    #expect(arguments.urls == [URL(known: "http://a.example/f")])
    #expect(arguments.count == 5)
    #expect(arguments.concurrency == 2)
    #expect(arguments.timeout == .milliseconds(1500))
  }

  @Test(arguments: [["--help"], ["-h"], ["--count", "3", "-h"], ["--help", "--nonsense"]])
  func `help is asked for by both names`(_ words: [String]) throws {
    #expect(try Arguments(words).wantsHelp)
  }

  @Test(arguments: [
    (["--nonsense"], "unknown option --nonsense"),
    (["--help=yes"], "unknown option --help, or it takes no value"),
    (["-x"], "unknown option -x"),
    (["--count"], "--count needs a value"),
    (["--count", "0"], "--count takes a number from 1 to 100000, not \"0\""),
    (["--count=many"], "--count takes a number from 1 to 100000, not \"many\""),
    (["--concurrency", "-1"], "--concurrency takes a number from 1 to 1000, not \"-1\""),
    (["--timeout", "soon"], "--timeout takes seconds from 0.001 to 86400, not \"soon\""),
    (["--timeout", "nan"], "--timeout takes seconds from 0.001 to 86400, not \"nan\""),
    (["--timeout", "0"], "--timeout takes seconds from 0.001 to 86400, not \"0\""),
    (["feed.json"], "\"feed.json\" is no http or https URL"),
    (["ftp://a.example/"], "\"ftp://a.example/\" is no http or https URL"),
    (["http:///nowhere"], "\"http:///nowhere\" is no http or https URL"),
    (["--", "--count"], "\"--count\" is no http or https URL"),
    ([""], "\"\" is no http or https URL"),
  ])
  func `what can't be understood is named`(_ words: [String], _ reason: String) {
    #expect(throws: UsageError(reason)) { try Arguments(words) }
  }
}
