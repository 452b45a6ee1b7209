import CSimulation
import Foundation
import ResourceLoading

/// A server that fails for a while, counts requests, and knows how long its clients wait.
final class ServiceServer: Server, @unchecked Sendable {
  /// The statuses of an outage; empty while there is none.
  var outage: [Status] = []
  /// The requests in each window of time; `nil` for no limit.
  var quota: Int?
  var window = 5 * second
  /// Whether it announces its limit as older servers do.
  var announcesByOlderFields = false
  /// Called with the number of each request before it is sent.
  var onRequest: ((WireRequest) -> Void)?
  /// Called when the client has a whole response.
  var onResponse: ((_ load: Int?, Status) -> Void)?

  private var used: [Int64: Int] = [:]
  private var statuses: [Int: Status] = [:]
  /// The loads that have said their numbers, by request.
  private var loads: [Int: Int] = [:]
  private var announced: [Int: (remaining: Int, wait: Nanoseconds)] = [:]
  /// The last limit that the client has heard of, and since when.
  private(set) var heard: (remaining: Int, since: Nanoseconds, end: Nanoseconds)?

  override func begin(_ request: WireRequest) -> Int {
    onRequest?(request)
    let number = super.begin(request)
    loads[number] = request.headers["X-Load"].flatMap { Int($0) }
    return number
  }

  override func answer(_ request: WireRequest, _ number: Int) -> (ResponseHead, Data) {
    var (head, body) = respond(request, number)
    announce(&head.headers, number)
    statuses[number] = head.status
    return (head, body)
  }

  private func respond(_ request: WireRequest, _ number: Int) -> (ResponseHead, Data) {
    if let quota {
      used[sim_now() / window, default: 0] += 1
      if used[sim_now() / window, default: 0] > quota {
        return (ResponseHead(status: .tooManyRequests), Data())
      }
    }
    if !outage.isEmpty { return (ResponseHead(status: pick(of: outage)), Data("sorry".utf8)) }
    return super.answer(request, number)
  }

  private func announce(_ headers: inout Headers, _ number: Int) {
    guard let quota else { return }
    let now = sim_now()
    let remaining = max(0, quota - used[now / window, default: 0])
    let wait = ((now / window + 1) * window - now + second - 1) / second
    announced[number] = (remaining, wait * second)
    if announcesByOlderFields {
      headers["X-RateLimit-Remaining"] = "\(remaining)"
      headers["X-RateLimit-Reset"] = "\(wait)"
    } else {
      headers["RateLimit"] = "\"all\";r=\(remaining);t=\(wait)"
    }
  }

  override func ended(_ number: Int, isAwaited: Bool) {
    super.ended(number, isAwaited: isAwaited)
    guard isAwaited else { return }
    if let limit = announced[number] {
      heard = (limit.remaining, sim_now(), sim_now() + limit.wait)
    }
    if let status = statuses[number] { onResponse?(loads[number], status) }
  }
}
