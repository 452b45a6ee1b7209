import Dispatch
import PromiseModule

/// Where the handlers of a conformance test run.
enum Place: CaseIterable, Sendable {
  case background, queue, mainActor, inline

  static let deferring: [Place] = [.background, .queue, .mainActor]
}

private let queue = DispatchQueue(label: "conformance")

extension Promise {
  func map<New: Sendable>(
    at place: Place, _ body: @escaping @Sendable (Value) throws -> New
  ) -> Promise<New> {
    switch place {
    case .background: map(body)
    case .queue: map(on: queue, body)
    case .mainActor: map(on: .main) { try body($0) }
    case .inline: map(on: .inline, body)
    }
  }

  func then<New: Sendable>(
    at place: Place, _ body: @escaping @Sendable (Value) throws -> Promise<New>
  ) -> Promise<New> {
    switch place {
    case .background: then(body)
    case .queue: then(on: queue, body)
    case .mainActor: then(on: .main) { try body($0) }
    case .inline: then(on: .inline, body)
    }
  }

  func recover(
    at place: Place, _ body: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    switch place {
    case .background: recover(body)
    case .queue: recover(on: queue, body)
    case .mainActor: recover(on: .main) { try body($0) }
    case .inline: recover(on: .inline, body)
    }
  }

  @discardableResult
  func finally(
    at place: Place, _ body: @escaping @Sendable () throws -> Void
  ) -> Promise<Value> {
    switch place {
    case .background: finally(body)
    case .queue: finally(on: queue, body)
    case .mainActor: finally(on: .main) { try body() }
    case .inline: finally(on: .inline, body)
    }
  }
}
