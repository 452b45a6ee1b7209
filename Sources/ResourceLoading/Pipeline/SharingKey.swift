/// Identifies loads that may share an exchange.
///
/// A class, because it is stored in several places, and a request is large.
final class SharingKey: Sendable {
  private let request: Request
  /// The same client, and the same position in it.
  private let stage: Next.StageID
  /// The hash of the address, which is computed once because a key is looked up several times. Few requests to one address
  /// differ.
  private let digest: Int

  /// - Parameters:
  ///   - request: The complete request, with all that makes a difference.
  ///   - stage: The stage that sends it on.
  init(_ request: Request, at stage: Next.StageID) {
    self.request = request
    self.stage = stage
    digest = request.address.hashValue
  }
}

extension SharingKey: Hashable {
  static func == (one: SharingKey, other: SharingKey) -> Bool {
    one === other
      || one.digest == other.digest && one.stage == other.stage && one.request == other.request
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
