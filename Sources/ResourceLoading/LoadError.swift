/// Why a load failed, with the evidence.
///
/// Everything this library throws is a `LoadError` or a `CancellationError`, and the callback, the promise
/// and the `await` form of a load deliver the same one. `kind` is for programs, ``description`` for
/// people: it tells the whole story in a few lines and never shows a secret.
public struct LoadError: Error, Sendable {
  /// What went wrong, for a `switch`.
  public var kind: Kind

  /// What went wrong, in a sentence without a full stop.
  public var reason: String

  /// What to do about it, in a sentence without a full stop; `nil` where the reason says it all.
  public var advice: String?

  /// The request as a cURL command with every secret replaced; `nil` if there was none yet.
  public var request: String?

  /// What the server answered, if it got that far.
  public var response: ReceivedResponse?

  /// What the server itself says about the failure, found in the body: the `detail` or `title` of problem
  /// details (RFC 9457), GraphQL's `errors`, or a member called `message`, `error` or the like.
  public var serverMessage: String?

  /// Where parsing failed, for an error of kind ``Kind/parsing``.
  public var parsing: ParsingFailure?

  /// Every exchange that was made, in order: redirects, and retries where there were any.
  public var attempts: [Attempt]

  /// The error underneath, freed of secrets; `nil` where there is none.
  public var underlying: (any Error)?

  /// Makes an error of a kind for a reason; evidence is added by setting the properties.
  ///
  /// - Parameters:
  ///   - kind: What went wrong, for a `switch`.
  ///   - reason: What went wrong, in a sentence without a full stop.
  ///   - advice: What to do about it.
  ///   - underlying: The error underneath.
  public init(
    _ kind: Kind, _ reason: String, advice: String? = nil, underlying: (any Error)? = nil
  ) {
    self.kind = kind
    self.reason = reason
    self.advice = advice
    self.underlying = underlying
    self.attempts = []
  }
}
