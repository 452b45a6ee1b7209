import Foundation
import PromiseModule

/// The state machine of a renewable credential. Each event returns what to do next. The owner holds
/// the lock.
struct Credentials {
  /// A token and the number of previous tokens.
  struct Versioned: Sendable {
    var token: BearerToken?
    var version: Int
  }

  enum Step {
    /// Send it with this token.
    case send(Versioned)
    /// Wait for the renewal in flight.
    case wait(Promise<Versioned>)
    /// Start a renewal and wait for it.
    case renew(expired: BearerToken?, version: Int, Promise<Versioned>)
    /// Fail without sending it.
    case fail(any Error)
  }

  /// The resolver for all requests that wait for a renewal, and the version that they get.
  struct Waiting {
    var resolver: Promise<Versioned>.Resolver
    var version: Int
  }

  private struct Renewing {
    var promise: Promise<Versioned>
    var resolver: Promise<Versioned>.Resolver
    /// A child of the promise, which keeps it from being cancelled when all waiting requests have
    /// left.
    var interest: Promise<Void>
  }

  private enum Phase {
    case ready(BearerToken?)
    case failed(any Error)
  }

  private var phase: Phase
  private var version = 0
  private var renewing: Renewing?
  /// Whether there is a renewal closure. It isn't used while the user is signed out.
  private let hasRenewal: Bool
  private var isSignedOut = false
  /// The version of the last sign-out. Requests with earlier versions belong to another user.
  private(set) var lastSignOut = 0

  init(_ token: BearerToken?, canRenew: Bool) {
    phase = .ready(token)
    hasRenewal = canRenew
  }

  private var canRenew: Bool { hasRenewal && !isSignedOut }
}

extension Credentials {
  var token: BearerToken? {
    if case .ready(let token) = phase { token } else { nil }
  }

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

  /// Returns the next step of a request that was refused with a certain version of the token; `nil`
  /// if the refusal is final, for example because the user has signed out since.
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
  /// Ends the renewal of a version. A result that arrives after ``signIn(_:)`` or ``signOut()`` is
  /// ignored.
  mutating func finish(_ version: Int, _ result: Result<BearerToken, any Error>) -> Waiting? {
    guard version == self.version, renewing != nil else { return nil }
    switch result {
    case .success(let token): return replace(by: .ready(token))
    case .failure(let error) where error.isPassingRenewalFailure: return takeWaiting()
    case .failure(let error): return replace(by: .failed(error))
    }
  }

  mutating func signIn(_ token: BearerToken) -> Waiting? {
    isSignedOut = false
    return replace(by: .ready(token))
  }

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
  /// Whether a renewal was cancelled, or failed because of the network or a server error, so that
  /// the next one may succeed.
  var isPassingRenewalFailure: Bool {
    let cause = (self as? LoadError)?.underlying
    guard let cause = cause as? LoadError else { return cause is CancellationError }
    return switch cause.kind {
    // A network that asks for a sign-in, as in hotels, answers with a certificate of its own.
    case .connection, .timedOut, .secureConnection, .closed: true
    case .status: cause.response.map(\.status).map(mayPass) ?? false
    default: cause.isPassingShortage
    }
  }

  private func mayPass(_ status: Status) -> Bool {
    status.rawValue >= 500 || Status.transient.contains(status)
  }
}
