import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SampleTests {
  private struct Item: Decodable, Sendable, Equatable { var firstName: String }

  private static func item(_ id: Int) -> Resource<Item> {
    .json(.get("/items/\(id)")).sample(#"{"first_name": "Ada"}"#)
  }

  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  @Test(arguments: Form.allCases)
  func `each resource gets its own sample`(_ form: Form) async throws {
    let loader = SampleLoader(decoder: Self.decoder)
    let name = Self.item(1).map(\.firstName)
    let refused = Resource.text(.get("/")).sample("{}", status: .forbidden)

    #expect(try await form.load(Self.item(1), with: loader).get() == Item(firstName: "Ada"))
    #expect(try await form.load(name, with: loader).get() == "Ada")
    let error = await form.load(refused, with: loader).failure as? LoadError
    #expect(error?.response?.status == .forbidden)
  }

  @Test func `a resource without a sample is an error that says so`() async throws {
    let error = await #expect(throws: LoadError.self) {
      try await SampleLoader().load(.text(.get("/a")))
    }

    #expect(error?.kind == .invalidRequest)
    #expect(error?.description.contains("the resource has no sample") == true)
    #expect(error?.curlCommand?.contains("/a") == true)
  }

  @Test func `a delayed sample can be cancelled`() async throws {
    let load = SampleLoader(delay: .seconds(3600)).promise(for: Self.item(1))
    load.cancel()

    await #expect(throws: CancellationError.self) { try await load.get() }
  }

  @Test func `a stub loader returns the samples of resources without stubs`() async throws {
    let loader = StubLoader(decoder: Self.decoder)
    loader.stub("/items/2", .json(#"{"first_name": "Bob"}"#))

    #expect(try await loader.load(Self.item(1)).firstName == "Ada")
    #expect(try await loader.load(Self.item(2)).firstName == "Bob")
    #expect(loader.requests.count == 2)
  }
}
