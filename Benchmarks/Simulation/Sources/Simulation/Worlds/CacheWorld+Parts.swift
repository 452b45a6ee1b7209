import CSimulation
import Foundation
import ResourceCache
import ResourceLoading

// Loads of a representation, or of some of its bytes.
extension CacheWorld {
  func beginPart(_ user: String?, by index: Int) {
    let number = loadCount
    loadCount += 1
    let (client, began, user) = (clients[index], sim_now(), user ?? "-")
    var request = Request.get(RequestPath(CacheServer.parts))
    if user != "-" { request.headers[.authorization] = "Bearer \(user)" }
    let first = pick(CacheServer.partLength)
    let range = pick(
      of: [
        nil, "bytes=0-\(first)", "bytes=\(first)-\(first + pick(20))", "bytes=\(first)-",
        "bytes=-\(1 + pick(20))",
      ] as [String?])
    request.headers[.range] = range
    note("client \(index) begins load \(number) of \(range ?? "all parts") for \(user)")
    open += 1
    Task { [self] in
      do {
        let response = try await client.load(Resource(request) { $0 })
        note("load \(number) gets \(response.status), \(response.source)")
        checkPart(response, user, began, number, of: index, isWhole: range == nil)
      } catch {
        note("load \(number) fails: \((error as? LoadError)?.reason ?? "\(error)")")
      }
      open -= 1
    }
  }

  private func checkPart(
    _ response: Response, _ user: String, _ began: Nanoseconds, _ number: Int, of client: Int,
    isWhole: Bool
  ) {
    let first =
      response.headers[.contentRange].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
    if response.status == .ok || isWhole {
      guard response.status == .ok, response.body.count == CacheServer.partLength else {
        return violate(.wholeOrError, "load \(number) got \(response.body.count) bytes of all")
      }
    }
    guard let version = server.version(of: response.body, at: first, for: user) else {
      return violate(.ownResponse, "load \(number) got bytes that are of no version")
    }
    let facts = server.partFacts.filter { $0.user == user && $0.version == version }
    let isConfirmed = facts.contains { server.records[$0.number].ended >= began }
    var isShared = false
    switch response.source {
    case .cache:
      let age = began - (facts.map(\.made).max() ?? 0)
      if age > CacheServer.partLifetime + 1100 * millisecond {
        violate(.freshness, "load \(number) got parts that are \(age / millisecond) ms old")
      }
    case .revalidated:
      if !isConfirmed { violate(.freshness, "load \(number) got parts that weren't revalidated") }
      isShared = sharesAnswers && isConfirmed
    case .stale: break
    default: return
    }
    for change in changes
    where change.ended <= began && change.path ?? CacheServer.parts == CacheServer.parts {
      if change.user != nil, user == "-" { continue }
      if isShared, change.client != client, areApart || !change.isRemoval { continue }
      if facts.contains(where: { server.records[$0.number].began >= change.began }) { continue }
      violate(.removedIsGone, "load \(number) got parts from before \(change.words)")
    }
  }
}
