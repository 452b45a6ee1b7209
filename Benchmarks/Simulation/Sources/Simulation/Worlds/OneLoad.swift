import CSimulation
import Foundation
import PromiseModule
import ResourceLoading

/// One load of a world, in one of the three forms.
final class OneLoad: @unchecked Sendable {
  let number: Int
  let path: String
  let user: String
  /// How many users had signed in when it began.
  let signIns: Int
  let begun = sim_now()
  let timeout = pick(of: [300, 2000, 10_000, 30_000]) * millisecond
  let policy: Request.CachePolicy = pick(
    of: [
      .standard, .standard, .standard, .networkOnly, .reload, .staleWhileRevalidating, .freshOnly,
    ])
  let attemptTimeout: Duration? = chance(200) ? .seconds(1) : nil
  var cancelled: Nanoseconds?
  /// Whether it may have been cancelled with others.
  var mayBeCancelled = false
  var endings = 0
  var ended: Nanoseconds = 0
  /// Whether it tells the server its number.
  private let isNumbered: Bool
  private var stop: (() -> Void)?

  init(number: Int, path: String, user: String, signIns: Int, isNumbered: Bool) {
    (self.number, self.path, self.user, self.signIns) = (number, path, user, signIns)
    self.isNumbered = isNumbered
  }

  var isOpen: Bool { endings == 0 }

  var host: String { path.hasPrefix("/e") ? "other.example" : "host.example" }

  func cancel() { stop?() }

  func letGo() { stop = nil }

  private var request: Request {
    var request = Request.get(RequestPath(path))
    if path.hasPrefix("/e"), let url = URL(string: "https://\(host)\(path)") {
      request = Request(url: url)
    }
    request = request.timeout(.nanoseconds(timeout)).cachePolicy(policy)
    request.options.idleTimeout = .seconds(5)
    request.options.attemptTimeout = attemptTimeout
    if isNumbered { request = request.headers(["X-Load": "\(number)"]) }
    return chance(200) ? request.priority(.high) : request
  }

  typealias Outcome = Result<LoadedResponse<Document>, any Error>

  func begin(with client: Client, _ body: @escaping @Sendable (Outcome) -> Void) {
    let resource =
      chance(300)
      ? Resource<Document>(request) { try JSONDecoder().decode(Document.self, from: $0.body) }
        .withResponse
      : Resource<Document>(json: request).withResponse
    switch pick(3) {
    case 0:
      let task = client.load(resource, on: .default, callback: body)
      stop = { task.cancel() }
    case 1:
      let task = Task {
        do {
          body(.success(try await client.load(resource)))
        } catch {
          body(.failure(error))
        }
      }
      stop = { task.cancel() }
    default:
      let promise = client.promise(for: resource)
      promise.done(on: .default) { body(.success($0)) }
        .catch(on: .default) { body(.failure($0)) }
      // A promise that is observed can't be cancelled unless its observers let go.
      let task = Task { _ = try? await promise.get() }
      stop = {
        task.cancel()
        promise.cancel()
      }
    }
  }
}

/// Counts the requests of each load.
final class RequestCounts: @unchecked Sendable {
  private(set) var sent: [UInt64: Int] = [:]
  private(set) var retries = 0

  func note(_ event: LoadEvent) {
    sim_note(event.load &* 31)
    switch event.kind {
    case .sent:
      sent[event.load, default: 0] += 1
      sim_note(1)
    case .retrying:
      retries += 1
      sim_note(7)
    case .coalesced: sim_note(2)
    case .fromCache: sim_note(3)
    case .completed(let status, let bytes): sim_note(UInt64(status.rawValue * 1000 + bytes))
    case .failed: sim_note(5)
    default: sim_note(6)
    }
  }
}
