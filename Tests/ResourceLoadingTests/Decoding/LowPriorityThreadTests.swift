import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The decoding of large documents delays nothing else.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct LowPriorityThreadTests {
  /// A document with one string.
  private func loader(_ size: Int, ending: String = #""}"#) -> StubLoader {
    let loader = StubLoader()
    let text = String(repeating: "x", count: size)
    loader.stub("*", .response(body: Data((#"{"text":""# + text + ending).utf8)))
    return loader
  }

  #if canImport(Glibc)
    @Test(arguments: [(size: 10, isLowPriority: false), (2 << 20, true)])
    func `only the decoding of a large document has a low priority`(
      _ size: Int, _ isLowPriority: Bool
    ) async throws {
      let usual = nice(0)
      let resource = Resource<Witness>(json: .get("/")).map { ($0.priority, nice(0)) }

      let (decoding, mapping) = try await loader(size).load(resource)

      #expect((decoding > usual) == isLowPriority)
      #expect(mapping == usual)
    }
  #endif

  @Test func `more large documents than threads are all decoded`() async throws {
    let loader = loader(2 << 20)
    let resources = (0..<40).map { _ in Resource<Text>(json: .get("/")) }

    for await (_, result) in loader.loadAll(resources, maximumConcurrency: 40) {
      #expect(try result.get().text.utf8.count == 2 << 20)
    }
  }

  @Test func `the error of a large document is that of a small one`() async throws {
    let loader = loader(2 << 20, ending: #""]"#)

    let error = await #expect(throws: LoadError.self) {
      try await loader.load(Resource<Text>(json: .get("/")))
    }

    #expect(error?.kind == .parsing)
    #expect(error?.parsing?.line == 1)
  }
}

private struct Text: Decodable, Sendable { let text: String }

#if canImport(Glibc)
  /// The priority during decoding.
  private struct Witness: Decodable, Sendable {
    let priority: Int32

    init(from decoder: any Decoder) { priority = nice(0) }
  }
#endif
