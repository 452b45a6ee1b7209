import Dispatch
import Foundation

/// A thread that answers one semaphore with another.
final class Responder: Sendable {
  static let shared = Responder()

  private let there = DispatchSemaphore(value: 0)
  private let back = DispatchSemaphore(value: 0)

  private init() {
    Thread.detachNewThread { [there, back] in
      while true {
        there.wait()
        back.signal()
      }
    }
  }

  func roundTrip() {
    there.signal()
    back.wait()
  }
}
