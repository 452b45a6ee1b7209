// A protocol in front of the network, so that a view model is tested without one.
//
// What it shows: a protocol with what the app needs, its implementation in a few lines on any
// loader, a fake for the view model's tests, and a stubbed loader for the implementation's own.

import Foundation
import ResourceLoading
import ResourceTesting
import Testing

private struct Quote: Codable, Sendable, Equatable {
  let text: String
  let author: String
}

/// What the app needs from the service.
private protocol QuoteService: Sendable {
  func quoteOfTheDay() async throws -> Quote
  func like(_ quote: Quote) async throws
}

/// The service over the network.
private struct NetworkQuotes: QuoteService {
  let loader: any Loader

  func quoteOfTheDay() async throws -> Quote {
    try await loader.load(Resource<Quote>(json: .get("/quotes/today")))
  }

  func like(_ quote: Quote) async throws {
    try await loader.load(.void(Request.post("/likes").json(quote)))
  }
}

@MainActor
private final class QuoteViewModel {
  enum State: Equatable {
    case empty
    case loading
    case quote(Quote, isLiked: Bool)
    case failure(String)
  }

  private(set) var state = State.empty
  private let service: any QuoteService

  init(service: any QuoteService) { self.service = service }

  func load() async {
    state = .loading
    do {
      state = .quote(try await service.quoteOfTheDay(), isLiked: false)
    } catch is CancellationError {
      state = .empty
    } catch {
      state = .failure(error.localizedDescription)
    }
  }

  /// Shows the heart immediately, and removes it if the server refuses the like.
  func like() async {
    guard case .quote(let quote, false) = state else { return }
    state = .quote(quote, isLiked: true)
    do { try await service.like(quote) } catch { state = .quote(quote, isLiked: false) }
  }
}

/// A service with results that a test sets.
private struct FakeQuotes: QuoteService {
  var quote: Result<Quote, LoadError>
  var isLikingAllowed = true

  func quoteOfTheDay() async throws -> Quote { try quote.get() }

  func like(_ quote: Quote) async throws {
    guard isLikingAllowed else { throw LoadError(.status, "not today") }
  }
}

@MainActor
struct QuoteViewModelTests {
  private let quote = Quote(text: "Less is more.", author: "Mies")

  @Test func `a quote is shown, and liked`() async {
    let model = QuoteViewModel(service: FakeQuotes(quote: .success(quote)))

    await model.load()
    #expect(model.state == .quote(quote, isLiked: false))

    await model.like()
    #expect(model.state == .quote(quote, isLiked: true))
  }

  @Test func `a refused like is undone`() async {
    let service = FakeQuotes(quote: .success(quote), isLikingAllowed: false)
    let model = QuoteViewModel(service: service)

    await model.load()
    await model.like()

    #expect(model.state == .quote(quote, isLiked: false))
  }

  @Test func `a failure is shown in words`() async {
    let failure = LoadError(.connection, "there is no network")
    let model = QuoteViewModel(service: FakeQuotes(quote: .failure(failure)))

    await model.load()

    #expect(model.state == .failure("connection failed: there is no network"))
  }
}

struct NetworkQuotesTests {
  private let loader = StubLoader()

  @Test func `the service loads a quote and sends a like`() async throws {
    loader.stub("GET /quotes/today", .json(#"{"text": "Less is more.", "author": "Mies"}"#))
    loader.stub("POST /likes", .status(.noContent))
    let service = NetworkQuotes(loader: loader)

    let quote = try await service.quoteOfTheDay()
    try await service.like(quote)

    #expect(quote == Quote(text: "Less is more.", author: "Mies"))
    #expect(loader.requests.map(\.method) == [.get, .post])
  }
}
