/// What a promise keeps besides its value and its audience: where it comes from while it is pending,
/// its error once it is rejected. The rare rest shares the same word.
@usableFromInline
enum Origin: Sendable {
  case none
  /// Another promise that feeds this one, an ``Upstream``: a cancel gives up the interest there.
  case upstream(any AnyObject & Sendable)
  case failure(any Error)
  indirect case more(More)

  @usableFromInline
  struct More: Sendable {
    var upstream: (any AnyObject & Sendable)?
    var cancelHooks: [@Sendable () -> Void] = []
    var failure: (any Error)?
    var reporter: Reporter?
  }
}

extension Origin {
  /// The error of a rejected promise.
  @usableFromInline var failure: (any Error)? {
    if case .failure(let error) = self { error } else { more?.failure }
  }

  @usableFromInline var upstream: (any Upstream)? {
    if case .upstream(let object) = self { return object as? any Upstream }
    return more?.upstream as? any Upstream
  }

  @usableFromInline var more: More? {
    if case .more(let more) = self { more } else { nil }
  }

  /// Everything, spelled out, to be changed and put back.
  var full: More {
    switch self {
    case .none: More()
    case .upstream(let object): More(upstream: object)
    case .failure(let error): More(failure: error)
    case .more(let more): more
    }
  }

  mutating func setReporter(_ reporter: Reporter) {
    var more = full
    more.reporter = reporter
    self = .more(more)
  }

  /// What remains of it in a settled promise.
  @inlinable
  @inline(__always)
  func settled(_ failure: (any Error)?) -> Origin {
    if case .more = self { return settledMore(failure) }
    return failure.map { .failure($0) } ?? .none
  }

  @usableFromInline
  func settledMore(_ failure: (any Error)?) -> Origin {
    guard let failure else { return .none }
    guard let reporter = more?.reporter else { return .failure(failure) }
    return .more(More(failure: failure, reporter: reporter))
  }
}

extension Origin {
  @usableFromInline var moreReporter: Reporter? { more?.reporter }

  /// Who is told of a rejection that nobody sees.
  @inlinable var reporter: Reporter? {
    if case .more = self { moreReporter } else { nil }
  }
}
