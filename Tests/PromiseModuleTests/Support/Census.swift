import Synchronization

/// Counts its living objects.
final class Census: Sendable {
  private let count = Atomic(0)

  var living: Int { count.load(ordering: .relaxed) }

  func makeCitizen() -> Citizen { Citizen(of: self) }

  final class Citizen: Sendable {
    private let census: Census

    init(of census: Census) {
      self.census = census
      census.count.add(1, ordering: .relaxed)
    }

    deinit { census.count.subtract(1, ordering: .relaxed) }
  }
}
