import Foundation
import ResourceJSON
import Testing

/// The value so far of a document that arrives in pieces.
struct PartialsTests {
  private struct Answer: Decodable, Equatable {
    var title: String?
    var steps: [Step]?
    var score: Double?
    struct Step: Decodable, Equatable { var text: String }
  }

  @Test func `a value grows with its text, and only the last is the whole`() throws {
    var document = JSONReader().partials(of: Answer.self)
    var partials: [JSONPartial<Answer>] = []
    for piece in [
      "{\"ti", "tle\": \"Te", "a\\n\\u00", "e9\", \"steps\": [", "{\"te", "xt\": \"Boil",
      "\"}, {\"text\"", ": \"Wait\"}], \"score\": 1", "2", "}", " \n",
    ] {
      if let partial = try document.append(Data(piece.utf8)) { partials.append(partial) }
    }
    let whole = try document.finish()

    let title = "Tea\né"
    let boil = [Answer.Step(text: "Boil")]
    let both = boil + [Answer.Step(text: "Wait")]
    #expect(
      partials == [
        .partial(Answer()), .partial(Answer(title: "Te")), .partial(Answer(title: "Tea\n")),
        .partial(Answer(title: title, steps: [])), .partial(Answer(title: title, steps: [])),
        .partial(Answer(title: title, steps: boil)), .partial(Answer(title: title, steps: boil)),
        .partial(Answer(title: title, steps: both)), .partial(Answer(title: title, steps: both)),
        .whole(Answer(title: title, steps: both, score: 12)),
      ])
    #expect(whole == Answer(title: title, steps: both, score: 12))
    #expect(partials.map { $0.whole != nil } == Array(repeating: false, count: 9) + [true])
  }

  @Test(arguments: ["[1,2", "{\"a\":1} x", "[1}", "", "\"ab", "1.", "tru"])
  func `a document that ends too early, or goes on, isn't whole`(text: String) {
    struct Anything: Decodable { init(from decoder: any Decoder) {} }
    var document = JSONReader().partials(of: Anything.self)
    func read() throws {
      _ = try document.append(Data(text.utf8))
      _ = try document.finish()
    }

    #expect(throws: DecodingError.self) { try read() }
  }

  @Test func `a document that fits no type is an error when it is whole`() throws {
    var document = JSONReader().partials(of: [Int].self)

    #expect(try document.append(Data("[1, 2, tr".utf8)) == .partial([1, 2]))
    // The element is there now, so that nothing can be decoded.
    #expect(try document.append(Data("ue".utf8)) == nil)
    let error = try #require(throws: DecodingError.self) { try document.append(Data("]".utf8)) }

    #expect(JSONPosition(of: error)?.column == 8)
  }

  @Test func `a document that is too large is an error`() throws {
    var document = JSONReader().partials(of: [Int].self, maximumSize: 10)

    #expect(try document.append(Data("[1, 2, 3".utf8)) != nil)
    #expect(throws: JSONSizeError.self) { try document.append(Data(", 4".utf8)) }
  }

  @Test func `a string grows by whole characters of its escapes`() throws {
    var document = JSONReader().partials(of: String.self)
    var texts: [String] = []
    for byte in "\"a😀\\ud83d\\ude00\\\"b\"".utf8 {
      if let partial = try document.append(Data([byte])) { texts.append(partial.soFar) }
    }

    // The first four bytes show the encoding, so that nothing is read before them.
    #expect(texts.last == "a😀😀\"b")
    #expect(Set(texts) == ["a", "a😀", "a😀😀", "a😀😀\"", "a😀😀\"b"])
  }

  @Test(arguments: ["[1,2", "[", "[1"])
  func `a document that ends too early isn't whole, also when it is asked again`(
    _ text: String
  ) throws {
    var document = JSONReader().partials(of: [Int].self)
    _ = try document.append(Data(text.utf8))

    for _ in 1...2 { #expect(throws: DecodingError.self) { try document.finish() } }
  }
}
