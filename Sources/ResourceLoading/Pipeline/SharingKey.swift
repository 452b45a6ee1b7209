/// What two loads have in common that may share an exchange.
///
/// A class, since it is kept in several places, and a request is long.
final class SharingKey: Sendable {
  /// The complete request, with its headers and options, as it is sent on.
  let request: Request
  /// The request with the credentials that the stages behind would add now: a load that begins after signing in
  /// shares nothing with one that began before.
  private let predicted: Request
  /// The same client, and the same position in it.
  private let stage: Next.StageID
  /// The hash of the address: computed once, for a key is looked up several times. Few requests differ in nothing else.
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
