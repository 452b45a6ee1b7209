import Foundation
import ResourceInspector
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// The samples of the documentation, word for word; the last test compares them.
@Suite(.inTurn, .timeLimit(.minutes(15))) struct DocumentationTests {
  private let url = URL(string: "https://api.example.org")!

  @Test func `the sample of the inspector works`() throws {
    let inspector = Inspector()
    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
      $0.inspect(with: inspector)
    }
    print("Loads: \(try inspector.start())")
    #expect(client.configuration.observer != nil)
  }

  @Test func `the samples of the article work`() throws {
    let inspector = Inspector()
    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
      $0.inspect(with: inspector, as: "shop")
    }
    print("Loads: \(try inspector.start())")
    #expect(client.configuration.observer != nil)
    let temporary = try TemporaryFolder()
    let folder = temporary.url

    let page = folder.appending(path: "loads.html")
    try inspector.html().write(to: page, atomically: true, encoding: .utf8)
    try inspector.archive().write(to: folder.appending(path: "loads.har"))

    #expect(try temporary.names == ["loads.har", "loads.html"])
  }

  @Test func `every sample of the documentation is here`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOfFile: "\(#filePath)", encoding: .utf8))

    let samples = try DocumentationSamples.all(in: "Sources/ResourceInspector")
    #expect(samples.count >= 4)
    for sample in samples {
      #expect(compiled.contains(sample), "not compiled:\n\(sample)")
    }
  }
}
