import Foundation
import Synchronization

/// What is left of the budget of each origin.
final class RetryBudgets: Sendable {
  private let budget: Retry.Budget
  private let spent = Mutex<[String: Double]>([:])

  init(_ budget: Retry.Budget) { self.budget = budget }

  /// A load begins.
  func earn(for url: URL) {
    // An origin of which nothing is spent isn't kept. As a rule there is none: no need to take the URL apart.
    guard spent.withLock({ !$0.isEmpty }) else { return }
    let origin = Self.origin(of: url)
    spent.withLock { spent in
      guard let before = spent[origin] else { return }
      spent[origin] = before > budget.ratio ? before - budget.ratio : nil
    }
  }

  /// A retry is wanted; `false` if there is none left.
  func spend(for url: URL) -> Bool {
    let origin = Self.origin(of: url)
    return spent.withLock { spent in
      let before = spent[origin] ?? 0
      guard before + 1 <= budget.reserve else { return false }
      spent[origin] = before + 1
      return true
    }
  }

  private static func origin(of url: URL) -> String {
    "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? 0)"
  }
}
