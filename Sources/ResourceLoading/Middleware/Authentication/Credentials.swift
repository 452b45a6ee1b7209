import Foundation
import PromiseModule

/// The rules of a credential that is renewed, without the lock: each event returns what is to be done.
struct Credentials {
  /// A token and how often there has been a new one.
  struct Versioned: Sendable {
    var token: BearerToken?
    var version: Int
  }

  /// What a request does next.
  enum Step {
    /// Is sent with this.
    case send(Versioned)
    /// Waits for a renewal under way.
    case wait(Promise<Versioned>)
    /// Starts a renewal and waits for it.
    case renew(expired: BearerToken?, version: Int, Promise<Versioned>)
    /// Fails without being sent.
    case fail(any Error)
  }

  /// Those who wait for a renewal, and the version they will get.
  struct Waiting {
    var resolver: Promise<Versioned>.Resolver
    var version: Int
  }

  private struct Renewing {
    var promise: Promise<Versioned>
    var resolver: Promise<Versioned>.Resolver
    /// An interest of our own, so that the promise stays when all who wait have left.
    var interest: Promise<Void>
  }

  private enum Phase {
    case ready(BearerToken?)
    case failed(any Error)
  }

  private var phase: Phase
  private var version = 0
  private var renewing: Renewing?
  /// Whether there is a way to renew; it isn't used while the user is signed out.
  private let hasRenewal: Bool
  private var isSignedOut = false
  /// The version of the last signing out: requests with earlier ones are those of another user.
  private var lastSignOut = 0

  init(_ token: BearerToken?, canRenew: Bool) {
    phase = .ready(token)
    hasRenewal = canRenew
  }

  private var canRenew: Bool { hasRenewal && !isSignedOut }
}

extension Credentials {
  /// The present token.
  var token: BearerToken? {
    if case .ready(let token) = phase { token } else { nil }
  }

  /// A request is about to be sent.
  mutating func begin(at date: Date) -> Step {
    if let renewing { return .wait(renewing.promise) }
    switch phase {
    case .failed(let error): return .fail(error)
    case .ready(let token):
      guard canRenew, token.map({ !$0.isGood(at: date) }) ?? true else {
        return .send(Versioned(token: token, version: version))
      }
      return renew()
    }
  }

  /// A request that was sent with a version was refused.
  ///
  /// - Returns: `nil` if the refusal is final, as it is for a request of who has signed out since.
  mutating func refused(_ version: Int) -> Step? {
    guard version >= lastSignOut else { return nil }
    if version == self.version, renewing == nil {
      guard canRenew, case .ready = phase else { return nil }
      return renew()
    }
    if let renewing { return .wait(renewing.promise) }
    switch phase {
    case .failed(let error): return .fail(error)
    case .ready(let token):
      return token.map { .send(Versioned(token: $0, version: self.version)) }
    }
  }

  private mutating func renew() -> Step {
    let (promise, resolver) = Promise<Versioned>.pending()
    renewing = Renewing(promise: promise, resolver: resolver, interest: promise.map { _ in })
    return .renew(expired: token, version: version, promise)
  }
}

extension Credentials {
  /// A renewal of a version has ended. A result that comes after ``signIn(_:)`` or ``signOut()`` is dropped.
  mutating func finish(_ version: Int, _ result: Result<BearerToken, any Error>) -> Waiting? {
    guard version == self.version, renewing != nil else { return nil }
    switch result {
    case .success(let token): return replace(by: .ready(token))
    case .failure(let error) where error.mayPass: return takeWaiting()
    case .failure(let error): return replace(by: .failed(error))
    }
  }

  /// There is a new token.
  mutating func signIn(_ token: BearerToken) -> Waiting? {
    isSignedOut = false
    return replace(by: .ready(token))
  }

  /// There is no token any more, and none is wanted.
  mutating func signOut() -> Waiting? {
    isSignedOut = true
    lastSignOut = version + 1
    return replace(by: .ready(nil))
  }

  private mutating func replace(by phase: Phase) -> Waiting? {
    self.phase = phase
    version += 1
    return takeWaiting()
  }

  private mutating func takeWaiting() -> Waiting? {
    defer { renewing = nil }
    return renewing.map { Waiting(resolver: $0.resolver, version: version) }
  }
}

extension Error {
  /// Whether a renewal failed for the network's or the server's sake, so that the next may succeed.
  fileprivate var mayPass: Bool {
    guard let cause = (self as? LoadError)?.underlying as? LoadError else { return false }
    switch cause.kind {
    case .connection, .timedOut, .closed: return true
    case .status:
      return cause.response.map { $0.status.rawValue >= 500 || $0.status == 429 } ?? false
    default: return false
    }
  }
}
