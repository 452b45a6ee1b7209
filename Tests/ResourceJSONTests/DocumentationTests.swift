import Foundation
import ResourceJSON
import TestSupport
import Testing

/// The samples of the documentation, word for word.
struct DocumentationTests {
  struct Issue: Codable {
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

  @Test func `the samples of the writer encode`() throws {
    let issues = [Issue(number: 1, createdAt: Date(timeIntervalSince1970: 0))]
    let request = ["b": 2, "a": 1.0]

    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601

    let data = try JSONWriter(encoder).encode(issues)

    let text = Data("[{\"number\":1,\"created_at\":\"1970-01-01T00:00:00Z\"}]".utf8)
    #expect(data == text)
    do {
      let writer = JSONWriter(encoder)
      let data = try writer.encode(issues)
      #expect(data == text)
    }
    let key = try JSONWriter(isCanonical: true).encode(request)
    #expect(key == Data(#"{"a":1,"b":2}"#.utf8))
  }

  @Test func `a number keeps the digits that its sample shows`() throws {
    let text = Data("12345678901234567890.50".utf8)
    let number = try JSONReader().decode(JSONNumber.self, from: text)
    print(number)  // 12345678901234567890.50
    print(number.double)  // 1.2345678901234567e+19

    #expect(number.description == "12345678901234567890.50")
  }

  @Test func `every sample is compiled here`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    for sample in try DocumentationSamples.all(in: "Sources/ResourceJSON") {
      #expect(compiled.contains(sample))
    }
  }
}
