import Foundation
import ResourceJSON
import TestSupport
import Testing

/// The samples of the documentation, word for word.
struct DocumentationTests {
  struct Issue: Decodable {
    var number: Int
    var createdAt: Date
  }

  @Test func `the samples of the landing page decode, and tell places`() throws {
    let data = Data("[{\"number\":1,\"created_at\":\"2024-03-05T10:20:30Z\"}]".utf8)

    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601

    let issues = try JSONReader(decoder).decode([Issue].self, from: data)

    #expect(issues.map(\.number) == [1])
    do {
      _ = try JSONReader().decode([Issue].self, from: data)
    } catch {
      print(JSONPosition(of: error)?.description ?? "somewhere")  // line 3, column 14
    }
  }

  @Test func `a reader decodes what its own sample says`() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let data = Data("[{\"number\":1,\"created_at\":0}]".utf8)

    let reader = JSONReader(decoder)
    let issues = try reader.decode([Issue].self, from: data)

    #expect(issues.count == 1)
  }

  @Test func `every sample is compiled here`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    for sample in try DocumentationSamples.all(in: "Sources/ResourceJSON") {
      #expect(compiled.contains(sample))
    }
  }
}
