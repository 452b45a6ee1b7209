import CSimulation
import Foundation
import PromiseModule
import ResourceLoading

/// A load that a service begins while it handles a request, which has a deadline.
final class ServiceLoad: @unchecked Sendable {
  let number: Int
  let method: Request.Method
  private(set) var begun: Nanoseconds = 0
  let timeout = pick(of: [300, 2000, 10_000, 30_000]) * millisecond
  /// The time of the task; `nil` if it has all.
  let deadline: Nanoseconds? =
    chance(700) ? pick(of: [200, 1000, 5000, 20_000]) * millisecond : nil
  var cancelled: Nanoseconds?
  /// Whether it may have been cancelled with others, although it had just begun.
  var mayBeCancelled = false
  var endings = 0
  var ended: Nanoseconds = 0
  /// When the first response arrived that answers it.
  var answered: Nanoseconds?
  var requests = 0
  private var stop: (() -> Void)?
  private var isStopped = false

  init(number: Int, method: Request.Method) { (self.number, self.method) = (number, method) }

  var isOpen: Bool { endings == 0 }

  var hasEffects: Bool { method != .get }

  /// When it has to have ended.
  var limit: Nanoseconds { begun + min(timeout, deadline ?? .max) }

  func cancel() {
    isStopped = true
    stop?()
  }

  func letGo() { stop = nil }

  /// - Parameter isNumbered: Whether it tells the server its number, and so shares nothing.
  func begin(
    with client: Client, isNumbered: Bool,
    _ body: @escaping @Sendable (Result<Document, any Error>) -> Void
  ) {
    var request = Request(method, "/d\(pick(3))").timeout(.nanoseconds(timeout))
    request.options.idleTimeout = .seconds(5)
    if isNumbered || hasEffects { request = request.headers(["X-Load": "\(number)"]) }
    if hasEffects { request = request.headers(["X-Value": "\(number)"]) }
    let (resource, form) = (Resource<Document>(json: request), pick(3))
    begun = sim_now()
    let task = Task { [self] in
      let time = deadline.map { Duration.nanoseconds($0) }
      await Deadline.within(time, clock: SimulatedClock()) {
        switch form {
        case 0:
          let task = client.load(resource, on: .default, callback: body)
          stop = { task.cancel() }
        case 1:
          let promise = client.promise(for: resource)
          promise.done(on: .default) { body(.success($0)) }
            .catch(on: .default) { body(.failure($0)) }
          stop = { promise.cancel() }
        default:
          do {
            body(.success(try await client.load(resource)))
          } catch {
            body(.failure(error))
          }
        }
      }
      // It may have been cancelled before it began.
      if isStopped { stop?() }
    }
    stop = { task.cancel() }
  }
}

/// What the client of a service has reported.
final class ServiceEvents: @unchecked Sendable {
  private(set) var hedged: [UInt64] = []
  private(set) var retries = 0
  private(set) var writes: Set<UInt64> = []
  /// The state of the circuit, and when it last changed.
  private(set) var circuit = LoadEvent.CircuitState.closed
  private(set) var changed: Nanoseconds = 0
  /// The probes that may be sent.
  var probes = 0
  /// Whether a probe was sent in this period.
  var onProbe: (() -> Void)?

  func note(_ event: LoadEvent) {
    sim_note(event.load &* 31)
    switch event.kind {
    case .started(let request):
      if request.method != .get { writes.insert(event.load) }
    case .hedged: hedged.append(event.load)
    case .retrying: retries += 1
    case .circuit(let state, _):
      if state == .halfOpen {
        onProbe?()
        probes = 1
      } else {
        (circuit, changed, probes) = (state, sim_now(), 0)
      }
    default: break
    }
  }
}
