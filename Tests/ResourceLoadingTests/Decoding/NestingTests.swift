import Foundation
import ResourcePrimitives
import TestSupport
import Testing

@testable import ResourceLoading

/// Deep documents are decoded on a large stack, because the stacks of Dispatch have only 512 KiB on
/// Apple platforms.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct NestingTests {
  /// `{"a": {"a": … }}`
  private static func document(depth: Int) -> Data {
    Data(
      (String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)).utf8
    )
  }

  @Test func `JSON of the maximum depth is decoded on a small stack`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      let data = NestingTests.document(depth: 512)
      let depth = await onThread(stack: 512 << 10) {
        try? LowPriorityThread.run(
          reading: data.count, isDeep: NestingDepth.isDeep(json: data), hasSmallStack: true
        ) { try JSONDecoder().read(Nested.self, from: data).depth }
      }
      guard depth == 512 else { throw Broken("it has \(depth ?? 0) levels") }
    }
  }

  @Test(arguments: [
    (#"[{"a": "}}]]"}]"#, false),
    (String(repeating: "[", count: 32) + String(repeating: "]", count: 32), false),
    (String(repeating: "[", count: 33) + String(repeating: "]", count: 33), true),
    (String(repeating: "[]", count: 100), false),
    // Brackets in strings, escaped quotation marks, and escaped backslashes before quotation marks.
    (#"["\#(String(repeating: "[", count: 40))"]"#, false),
    (#"["\"\#(String(repeating: "[", count: 40))"]"#, false),
    (#"["\\",\#(String(repeating: "[", count: 40))"#, true),
    (#"["\#(String(repeating: "]", count: 40))",\#(String(repeating: "[", count: 40))"#, true),
    ("", false),
  ])
  func `JSON is deep if more than 32 brackets outside of texts are open at once`(
    _ text: String, _ isDeep: Bool
  ) {
    #expect(NestingDepth.isDeep(json: Data(text.utf8)) == isDeep)
  }

  @Test func `JSON whose letters have several bytes counts as deep`() throws {
    #expect(NestingDepth.isDeep(json: try #require("[]".data(using: .utf16LittleEndian))))
  }
}

private func onThread<R: Sendable>(
  stack: Int, _ body: @escaping @Sendable () -> R
) async -> R {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = stack
    thread.start()
  }
}

private enum Nested: Decodable, Sendable {
  case end
  indirect case more(Nested)

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Key.self) else {
      self = .end
      return
    }
    self = .more(try container.decode(Nested.self, forKey: .a))
  }

  private enum Key: CodingKey { case a }

  var depth: Int {
    var (depth, rest) = (0, self)
    while case .more(let next) = rest { (depth, rest) = (depth + 1, next) }
    return depth
  }
}
