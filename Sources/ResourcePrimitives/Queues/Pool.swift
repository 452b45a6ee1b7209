import Synchronization

/// A limited number of elements, each for one user at a time. When all are in use, callers wait for
/// the next one in the order of their arrival; a waiting task can be cancelled.
package final class Pool<Element: Sendable>: Sendable {
  private let limit: Int
  private let make: @Sendable () throws -> Element
  private let state = Mutex(State())

  private typealias Waiter = CheckedContinuation<Element?, any Error>

  private struct State {
    var idle: [Element] = []
    /// The number of elements in use, and of those that are being created.
    var busyCount = 0
    var waiters = FairQueue<Waiter>()
    /// The error for new callers; `nil` while the pool is open.
    var closing: (any Error)?
  }

  /// Creates a pool that creates its elements as they are needed.
  package init(limit: Int, _ make: @escaping @Sendable () throws -> Element) {
    self.limit = max(1, limit)
    self.make = make
  }
}

extension Pool {
  /// Takes an element, which the caller gives back.
  package func take() async throws -> Element {
    let ticket = Mutex<FairQueue<Waiter>.Ticket?>(nil)
    if let place = try state.withLock({ try takePlace(&$0) }) { return try place ?? make() }
    let element = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let result = state.withLock { state in
          Result {
            // A later cancellation finds the ticket.
            try Task.checkCancellation()
            let place = try takePlace(&state)
            if place == nil { ticket.withLock { $0 = state.waiters.append(waiter) } }
            return place
          }
        }
        switch result {
        case .success(let place?): waiter.resume(returning: place)
        case .success(nil): break
        case .failure(let error): waiter.resume(throwing: error)
        }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        ticket.withLock(\.self).flatMap { state.waiters.remove($0) }
      }
      waiter?.resume(throwing: CancellationError())
    }
    return try element ?? make()
  }

  /// Takes an element that exists and is free; `nil` if there is none.
  package func takeIdle() -> Element? {
    state.withLock { state in
      guard state.closing == nil, state.waiters.isEmpty, let element = state.idle.popLast() else {
        return nil
      }
      state.busyCount += 1
      return element
    }
  }

  package func giveBack(_ element: Element) {
    let waiter = state.withLock { state -> Waiter? in
      if let waiter = state.waiters.popFirst() { return waiter }
      state.busyCount -= 1
      state.idle.append(element)
      return nil
    }
    waiter?.resume(returning: element)
  }

  /// Refuses all callers from now on, including those that wait.
  package func close(_ error: any Error) {
    let waiters = state.withLock { state in
      state.closing = error
      defer { state.waiters = FairQueue() }
      return Array(state.waiters)
    }
    for waiter in waiters { waiter.resume(throwing: error) }
  }

  /// Takes the place of an element. Returns a free element, or one that is `nil` and has to be
  /// created; `nil` if the caller must wait.
  private func takePlace(_ state: inout State) throws -> Element?? {
    if let closing = state.closing { throw closing }
    guard state.waiters.isEmpty, state.busyCount < limit else { return nil }
    state.busyCount += 1
    return .some(state.idle.popLast())
  }
}
