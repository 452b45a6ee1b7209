import Foundation
import ResourceJSON
import Testing

struct ParsingSuiteTests {
  @Test func `the suite is whole`() {
    let names =
      ParsingSuite.accepted.map(\.name) + ParsingSuite.decodable.map(\.name)
      + ParsingSuite.outOfRange.map(\.name) + ParsingSuite.refused.map(\.name)

    #expect(names.count == 326)
    #expect(Set(names).count == names.count)
    for (kind, count) in [("y_", 95), ("n_", 196), ("i_", 35)] {
      #expect(names.count { $0.hasPrefix(kind) } == count)
    }
    #expect(ParsingSuite.accepted.allSatisfy { $0.name.hasPrefix("y_") })
  }

  @Test(arguments: ParsingSuite.accepted.indices)
  func `what follows the grammar is read, to the value that JSONDecoder gives`(index: Int) throws {
    let (name, text) = ParsingSuite.accepted[index]
    let data = Data(text.bytes)

    let value = try JSONReader().decode(Tree.self, from: data)

    // Foundation refuses 0 with an exponent.
    if name.hasPrefix("y_number_0e") { return #expect(value == .array([.number(0)])) }
    #expect(try value == JSONDecoder().decode(Tree.self, from: data), "\(name)")
  }

  @Test(arguments: ParsingSuite.decodable.indices)
  func `what parsers may refuse is read where it has a value`(index: Int) {
    let (name, text) = ParsingSuite.decodable[index]

    #expect(throws: Never.self, "\(name)") {
      try JSONReader().decode(Tree.self, from: Data(text.bytes))
    }
  }

  @Test(arguments: ParsingSuite.outOfRange.indices)
  func `a number without a Double is an error at its position, and not one of the text`(
    index: Int
  ) throws {
    let data = Data(ParsingSuite.outOfRange[index].text.bytes)

    let error = try #require(throws: DecodingError.self) {
      try JSONReader().decode([Double].self, from: data)
    }

    #expect(JSONPosition(of: error)?.offset == 1)
  }

  @Test(arguments: ParsingSuite.refused.indices)
  func `what breaks the grammar is refused, with the reason and its position`(index: Int) throws {
    let file = ParsingSuite.refused[index]

    let error = try #require(throws: DecodingError.self) {
      try JSONReader().decode(Tree.self, from: Data(file.text.bytes))
    }

    guard case .dataCorrupted(let context) = error else { throw error }
    #expect(context.codingPath.isEmpty)
    let syntax = try #require(context.underlyingError as? JSONSyntaxError)
    #expect(syntax.reason == file.reason, "\(file.name)")
    #expect(syntax.position.offset == file.offset, "\(file.name)")
  }
}
