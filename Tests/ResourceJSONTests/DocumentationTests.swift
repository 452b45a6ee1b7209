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

  @Test func `elements and partial values are read as the samples say`() throws {
    struct Issue: Decodable { var title: String }
    struct Answer: Decodable, Equatable { var text: String? }
    struct Event: Decodable {}
    let decoder = JSONDecoder()
    var shown: [String] = []
    func print(_ text: String) { shown.append(text) }
    func show(_ answer: Answer) { shown.append(answer.text ?? "") }
    func readIssues(_ pieces: [Data]) throws {
      var issues = JSONReader(decoder).elements(of: Issue.self, at: "items")
      for piece in pieces {
        issues.append(piece)
        while let issue = try issues.next() { print(issue.title) }
      }
      issues.finish()
      while let issue = try issues.next() { print(issue.title) }
    }
    func readAnswer(_ pieces: [Data]) throws -> Answer {
      var answer = JSONReader().partials(of: Answer.self)
      for piece in pieces {
        if let partial = try answer.append(piece) { show(partial.soFar) }
      }
      let whole = try answer.finish()
      return whole
    }
    var events = JSONReader().values(of: Event.self, in: .lines)
    events.finish()

    try readIssues([Data(#"{"items":[{"title":"a"},{"ti"#.utf8), Data(#"tle":"b"}]}"#.utf8)])
    let whole = try readAnswer([Data(#"{"text":"Tw"#.utf8), Data(#"o"}"#.utf8)])

    #expect(shown == ["a", "b", "Tw", "Two"])
    #expect(whole == Answer(text: "Two"))
    #expect(try events.next() == nil)
  }

  @Test func `every sample is compiled here`() throws {
    let compiled = DocumentationSamples.trimmed(
      try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    for sample in try DocumentationSamples.all(in: "Sources/ResourceJSON") {
      #expect(compiled.contains(sample))
    }
  }
}
