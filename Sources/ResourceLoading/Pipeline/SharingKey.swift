/// What two loads have in common that may share a run.
///
/// A class, for it is kept in several places, and a request is long.
final class SharingKey: Sendable {
  /// The complete request, with its headers and options, as it is sent on.
  let request: Request
  /// The request with the credentials that the stages behind would add now: who signs in meanwhile shares nothing
  /// with who was signed in before.
  private let predicted: Request
  /// The same client, and the same position in it.
  let place: Next.Place
  /// Of where it goes: computed once, for a key is looked up several times. Few requests differ in nothing else.
  private let digest: Int

  init(request: Request, predicted: Request? = nil, place: Next.Place) {
    self.request = request
    self.predicted = predicted ?? request
    self.place = place
    digest = request.address.hashValue
  }
}

extension SharingKey: Hashable {
  static func == (one: SharingKey, other: SharingKey) -> Bool {
    one === other
      || one.digest == other.digest && one.place == other.place && one.predicted == other.predicted
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// Which run is under way for which loads, without the lock.
struct Sharing<Run: AnyObject & Sendable>: Sendable {
  private var runs: [SharingKey: Run] = [:]
}

extension Sharing {
  /// The run under way, if there is one.
  subscript(key: SharingKey) -> Run? { runs[key] }

  /// Enters a run, unless another one was quicker.
  ///
  /// - Returns: The run under way, this one or the other.
  mutating func begin(_ run: Run, for key: SharingKey) -> Run {
    if let other = runs[key] { return other }
    runs[key] = run
    return run
  }

  /// Takes a run out, unless there is a newer one.
  mutating func end(_ run: Run, for key: SharingKey) {
    guard let place = runs.index(forKey: key), runs.values[place] === run else { return }
    runs.remove(at: place)
  }

  /// How many runs are under way.
  var count: Int { runs.count }
}
