/// Identifies loads that may share an exchange.
///
/// A class, because it is stored in several places, and a request is large.
final class SharingKey: Sendable {
  /// The complete request as it is sent on, with its headers and options.
  let request: Request
  /// The request with the credentials that the stages behind would add now: a load that begins after signing in
  /// shares nothing with one that began before.
  private let predicted: Request
  /// The same client, and the same position in it.
  private let stage: Next.StageID
  /// The hash of the address, which is computed once because a key is looked up several times. Few requests to one address
  /// differ.
  private let digest: Int

  init(request: Request, predicted: Request? = nil, stage: Next.StageID) {
    self.request = request
    self.predicted = predicted ?? request
    self.stage = stage
    digest = request.address.hashValue
  }
}

extension SharingKey: Hashable {
  static func == (one: SharingKey, other: SharingKey) -> Bool {
    one === other
      || one.digest == other.digest && one.stage == other.stage && one.predicted == other.predicted
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
