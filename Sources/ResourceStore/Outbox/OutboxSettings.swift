public import PromiseModule
public import ResourceLoading

/// How an ``Outbox`` sends.
public struct OutboxSettings: Sendable {
  /// How many entries are sent at once at most; 0 only adds and lets other processes send.
  public var maximumConcurrency = 4

  /// How often an entry is sent, and how long it waits between two attempts. After the last one it is parked. To begin
  /// with any number of attempts, from one second to five minutes apart.
  public var retry = RetryPolicy(
    attempts: .max, backoff: Backoff(base: .seconds(1), cap: .seconds(300)))

  /// For how long a server may ask by `Retry-After`; what asks for longer is parked.
  public var maximumRetryAfter = Duration.seconds(86_400)

  /// How many attempts may be added to the first ones; further ones wait for the longest time of ``retry``. `nil` for
  /// any number.
  public var budget: RetryMiddleware.Budget? = RetryMiddleware.Budget()

  /// The age after which an entry that isn't being sent is given up; `nil` keeps it for ever.
  public var maximumAge: Duration?

  /// Whether the server does what it gets twice with one `Idempotency-Key` only once. If so, each request may be
  /// repeated. Otherwise those that aren't idempotent by their method or by ``Request/Options/isIdempotent`` are sent
  /// again only if they certainly weren't processed.
  public var serverHonoursIdempotencyKeys = false

  /// How often the outbox looks for entries of other processes, and for processes that ended while they were sending;
  /// `nil` never does.
  public var checkInterval: Duration? = .seconds(1)

  /// Whether there is a network, whenever that changes: nothing is sent after `false`, and what waits is sent at once
  /// after `true`. `nil` tries.
  public var network: (any AsyncSequence<Bool, Never> & Sendable)?

  /// Finds out whether the server has an entry that may have reached it, such as by a `GET`. If it throws, it is called
  /// again later. `nil` leaves such entries to the user.
  public var fate: (@Sendable (OutboxEntry) async throws -> OutboxFate)?

  /// Called in the transaction that removes an entry, so that models change with it. What it throws undoes its own
  /// changes; an entry that was answered is parked then.
  public var removal: (@Sendable (OutboxEntry, OutboxOutcome, ModelTransaction) throws -> Void)?

  /// Where the random part of waits comes from.
  public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

  /// Creates settings for a server that doesn't know `Idempotency-Key`.
  public init() {}
}
