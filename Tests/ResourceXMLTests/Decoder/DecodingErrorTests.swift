import Foundation
import ResourceXML
import TestSupport
import Testing

@Suite(.inTurn)
struct DecodingErrorTests {
  struct Feed: Decodable {
    struct Item: Decodable {
      var title: String
      var count: Int
      var link: URL?
    }
    var item: [Item]
  }

  private func context<T: Decodable>(_ type: T.Type, _ document: String) -> DecodingError.Context? {
    do {
      _ = try XMLDecoder().decode(type, from: Data(document.utf8))
      return nil
    } catch DecodingError.typeMismatch(_, let context) {
      return context
    } catch DecodingError.keyNotFound(_, let context) {
      return context
    } catch DecodingError.valueNotFound(_, let context) {
      return context
    } catch DecodingError.dataCorrupted(let context) {
      return context
    } catch { return nil }
  }

  private func path(_ context: DecodingError.Context?) -> String {
    (context?.codingPath ?? []).map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(
      separator: ".")
  }

  @Test func `the error for a value of another type has path, line and column`() throws {
    let document =
      "<f>\n <item><title>a</title><count>1</count></item>\n <item><title>b</title>\n  <count>ä two</count></item></f>"

    let context = context(Feed.self, document)

    #expect(path(context) == "item.1.count")
    let error = try #require(context?.underlyingError as? XMLError)
    #expect(error.line == 4)
    #expect(error.column == 10)
    #expect(error.kind == .content)
    #expect(error.message == "“ä two” isn't a Int")
    #expect(context?.debugDescription.contains("line 4, column 10") == true)
    #expect(error.snippet.contains("ä two"))
  }

  @Test func `the error for a missing value names the element`() throws {
    let context = context(Feed.self, "<f>\n\n<item>\n<count>1</count></item></f>")

    #expect(path(context) == "item.0")
    #expect((context?.underlyingError as? XMLError)?.line == 3)
    #expect(context?.debugDescription.contains("“title”") == true)
  }

  @Test func `a document that isn't well-formed is a dataCorrupted error with the parser's error`()
    throws
  {
    let context = context(Feed.self, "<f>\n<item></f>")

    #expect((context?.underlyingError as? XMLError)?.kind == .mismatchedTag)
    #expect((context?.underlyingError as? XMLError)?.line == 2)
  }

  @Test func `an error that a type throws is located by its path`() throws {
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "picky"))
      }
    }
    struct Value: Decodable { var a: [Picky] }

    let context = context(Value.self, "<v>\n<a>x</a>\n</v>")

    #expect(path(context) == "a.0")
    #expect((context?.underlyingError as? XMLError)?.line == 2)
    #expect((context?.underlyingError as? XMLError)?.message == "picky")
  }

  @Test func `decoding after the end of an array is an error`() throws {
    struct Pair: Decodable {
      init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        _ = try list.decode(Int.self)
        _ = try list.decode(Int.self)
      }
    }

    #expect(path(context(Pair.self, "<v><a>1</a></v>")) == "1")
  }

  @Test func `a type that contains itself fails before the stack overflows`() throws {
    struct Node: Decodable {
      var node: [Node]
      var depth: Int { 1 + (node.first?.depth ?? 0) }
    }
    let deep = String(repeating: "<node>", count: 900) + String(repeating: "</node>", count: 900)
    let fair = String(repeating: "<node>", count: 90) + String(repeating: "</node>", count: 90)

    #expect(context(Node.self, deep)?.debugDescription.contains("nested too deep") == true)
    #expect(try XMLDecoder().decode(Node.self, from: Data(fair.utf8)).depth == 90)
  }

  @Test(.timeLimit(.minutes(10)))
  func `deep values fit on the stack of a secondary thread`() async {
    struct Node: Decodable { var node: [Node] }
    let deep = String(repeating: "<node>", count: 900) + String(repeating: "</node>", count: 900)

    let isRefused = await withCheckedContinuation { continuation in
      let thread = Thread {
        continuation.resume(
          returning: (try? XMLDecoder().decode(Node.self, from: Data(deep.utf8))) == nil)
      }
      thread.stackSize = 512 << 10
      thread.start()
    }

    #expect(isRefused)
  }

  @Test func `line numbers of caught errors aren't computed`() throws {
    struct Lossy: Decodable {
      var value: Int?
      init(from decoder: any Decoder) throws {
        value = try? decoder.singleValueContainer().decode(Int.self)
      }
    }
    let items = String(repeating: "<i>x</i>", count: 20_000)

    let values = try XMLDecoder().decode([Lossy].self, from: Data("<v>\(items)</v>".utf8))

    #expect(values.count == 20_000)
  }

  @Test func `many different names take linear time`() throws {
    let items = (0..<20_000).map { "<n\($0)>\($0)</n\($0)>" }.joined()

    let values = try XMLDecoder().decode([String: [Int]].self, from: Data("<v>\(items)</v>".utf8))

    #expect(values.count == 20_000)
  }
}
