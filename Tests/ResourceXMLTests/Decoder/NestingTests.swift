import Foundation
import ResourcePrimitives
import TestSupport
import Testing

@testable import ResourceXML

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct NestingTests {
  private static func document(depth: Int) -> Data {
    Data((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
  }

  @Test func `the deepest allowed values are decoded on a small stack`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      let depth = await onThread(stack: 512 << 10) {
        let tree = try? XMLTree(parsing: NestingTests.document(depth: 200))
        return try? LowPriorityThread.run(
          reading: 0, isDeep: tree?.isDeep ?? false, hasSmallStack: true
        ) { try tree.map { try XMLDecoder().decode(Nested.self, from: $0).depth } }
      }
      guard depth == 200 else { throw Broken() }
    }
  }

  @Test func `a tree of the largest allowed depth is built and freed on a small stack`()
    async
  {
    await #expect(processExitsWith: .success) {
      Watchdog.endsProcess()
      let isDeep = await onThread(stack: 128 << 10) {
        (try? XMLTree(parsing: NestingTests.document(depth: 1_000)))?.isDeep
      }
      guard isDeep == true else { throw Broken() }
    }
  }

  @Test(arguments: [(32, false), (33, true)])
  func `XML is deep if more than 32 elements are open at once`(_ depth: Int, _ isDeep: Bool) throws
  {
    let text = "<r>" + String(repeating: "<x/>", count: 100)
    let nested = String(decoding: NestingTests.document(depth: depth - 1), as: UTF8.self)
    let tree = try XMLTree(parsing: Data((text + nested + "</r>").utf8))

    #expect(tree.isDeep == isDeep)
  }
}

private struct Broken: Error {}

private func onThread<R: Sendable>(
  stack: Int, _ body: @escaping @Sendable () -> R
) async -> R {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    thread.stackSize = stack
    thread.start()
  }
}

private final class Nested: Decodable, Sendable {
  let a: Nested?

  var depth: Int {
    var (depth, rest) = (1, a)
    while let next = rest { (depth, rest) = (depth + 1, next.a) }
    return depth
  }
}
