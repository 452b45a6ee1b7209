import Foundation
import PromiseModule
import ResourceLoading

// Samples of the documentation of requests, resources, errors and callbacks.

func describe(_ text: String, _ login: String) -> [Request] {
  let search = Request.get("/search?q=\(text)&page=2")
  let user = Request.get("https://api.github.com/users/\(login)")
  return [search, user]
}

func describeNested() -> Request {
  let found = Request.post("/search").json([
    "state": "open", "filter": ["label": "bug", "stars": 5, "owners": ["octocat", nil]],
  ])
  return found
}

func describeQuery() -> Request {
  let popular = Request.query("/search").json(["stars": 100, "labels": ["bug", "help"]])
  return popular
}

func describeNestedInReference() -> Request {
  let search = Request.post("/search").json([
    "text": "swift", "filter": ["state": "open", "stars": 5, "labels": ["bug", nil]],
  ])
  return search
}

func loadShortly(_ client: Client) async throws -> [Int] {
  let user = try await client.load(.json(.get("/users/octocat"), as: User.self))
  let text = try await client.load(.text(.get("/motd")))
  let data = try await client.load(.data(.get("/logo.png")))
  try await client.load(.void(.delete("/users/octocat")))
  return [user.login.count, text.count, data.count]
}

extension Resource where R == User {
  static func member(_ login: String) -> Self { .json(.get("/users/\(login)")) }
}

extension Resource where R == [Ticket] {
  static func tickets(of login: String) -> Self { .json(.get("/users/\(login)/tickets")) }
}

extension Resource where R == Void {
  static func close(_ ticket: Ticket) -> Self { .void(.delete("/tickets/\(ticket.title)")) }
}

func closeTickets(_ client: Client) async throws {
  let member = try await client.load(.member("octocat"))
  for ticket in try await client.load(.tickets(of: member.login)) {
    try await client.load(.close(ticket))
  }
}

extension Resource where R == Ticket {
  static func ticket(_ id: Int) -> Self {
    .json(.get("/tickets/\(id)")).sample(#"{"title": "It rains in"}"#)
  }
}

func preview(_ client: Client) async throws -> Ticket {
  let preview = SampleLoader(decoder: client.configuration.decoder, delay: .seconds(1))
  let ticket = try await preview.load(.ticket(1))
  return ticket
}

func makeKeyedClient(_ url: URL, key: String) -> Client {
  let service = Client(baseURL: url) { $0.parameters = ["api_key": key, "lang": "en"] }
  return service
}

func signOut(_ client: Client, _ authentication: BearerAuthentication) {
  authentication.signOut()
  client.cancelAll()
}

func prioritize() -> [Resource<Data>] {
  let visible = Resource.data(Request.get("/thumbnail.jpg").priority(.high))
  let prefetched = Resource.data(Request.get("/next.jpg").priority(.low))
  return [visible, prefetched]
}

struct Refusal: Decodable, Sendable {
  var code: String
}

func order(from url: URL) async throws {
  let shop = Client(baseURL: url) { $0.errorBody = .json(Refusal.self) }
  do {
    try await shop.load(.void(.post("/orders")))
  } catch let error as LoadError {
    guard let refusal = error.errorBody(as: Refusal.self) else { throw error }
    print("The shop refuses: \(refusal.code)")
  }
}

func ask(_ client: Client) async throws {
  struct Answer: Decodable, Sendable { var isComplete: Bool }
  struct Incomplete: Error {}
  let answer = Resource<Answer>(json: .get("/answer")).map { answer in
    guard answer.isComplete else { throw Incomplete() }
    return answer
  }
  do {
    print(try await client.load(answer))
  } catch let error as LoadError where error.underlying is Incomplete {
    print("Ask again later.")
  }
}

@MainActor
final class Screen {
  var title = ""

  func show(_ login: String, from loader: any Loader) {
    loader.load(.member(login), on: .main) { result in
      switch result {
      case .success(let user): self.title = user.login
      case .failure(let error): self.title = error.localizedDescription
      }
    }
  }
}

func loadResponses(_ client: Client) async throws {
  let loaded = try await client.response(for: .member("octocat"))
  print(loaded.value.login, loaded.response.status, loaded.response.source)

  let member = Resource.member("octocat").withResponse
  client.load(member) { result in print(result) }
  client.promise(for: member).map(\.response.status).done { print($0) }
}
