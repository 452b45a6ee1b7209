public import PromiseModule
public import ResourceLoading
public import ResourceStore

/// The settings of an ``Outbox``.
public struct OutboxSettings: Sendable {
  /// The most entries that are sent at once; with 0 the outbox only adds entries, for other
  /// processes to send.
  public var maximumConcurrency = 4

  /// How often an entry is sent, and how long it waits between two attempts. After the last one it
  /// is parked. By default there may be any number of attempts, from one second to five minutes
  /// apart.
  public var retry = RetryPolicy(
    maximumAttempts: .max, backoff: Backoff(base: .seconds(1), maximum: .seconds(300)))

  /// The longest wait that a server may ask for by `Retry-After`; an entry that would have to wait
  /// longer is parked.
  public var maximumRetryAfter = Duration.seconds(86_400)

  /// The limit of attempts after the first ones; those beyond it wait for the longest time of
  /// ``retry``. `nil` for no limit.
  public var budget: RetryMiddleware.Budget? = RetryMiddleware.Budget()

  /// The age after which an entry that isn't being sent is given up; `nil` keeps it forever. What
  /// the module `ResourceSync` shows is among its failures then, until the user has decided.
  public var maximumAge: Duration?

  /// How long the value of a placeholder is kept after the answer that gave it. Older ones that no
  /// entry contains are removed when an outbox is opened; `nil` keeps all.
  public var placeholderLifetime: Duration? = .seconds(30 * 86_400)

  /// Whether the server carries out a request only once if it gets it twice with one
  /// `Idempotency-Key`. If so, each request may be repeated. Otherwise those that aren't idempotent
  /// by their method or by `Request.Options.isIdempotent` are sent again only if they certainly
  /// weren't processed.
  public var serverHonoursIdempotencyKeys = false

  /// How often the outbox looks for entries of other processes, and for processes that ended while
  /// they were sending; `nil` never does.
  public var checkInterval: Duration? = .seconds(1)

  /// Has an element whenever the network comes or goes: nothing is sent after `false`, and waiting
  /// entries are sent at once after `true`. With `nil` entries are sent whether there is a network
  /// or not.
  public var networkAvailability: (any AsyncSequence<Bool, Never> & Sendable)?

  /// Further protocols of uploads, by which those of earlier runs are resumed. The library's own
  /// needn't be listed.
  public var uploadStrategies: [any UploadStrategy] = []

  /// Finds out whether the server has an entry that may have reached it, for example by a `GET`. If
  /// it throws, it is called again later. `nil` leaves such entries to the user.
  public var checkDelivery: (@Sendable (OutboxEntry) async throws -> OutboxDelivery)?

  /// Called in the transaction that removes an entry, so that models change with it. If it throws,
  /// its own changes are undone, and an entry that was answered is parked. A temporary error, such
  /// as that of a full disk, undoes the transaction, which is tried again.
  public var onRemoval: (@Sendable (OutboxEntry, OutboxOutcome, ModelTransaction) throws -> Void)?

  /// The source of the random part of waits.
  public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()

  /// Creates settings for a server that doesn't know `Idempotency-Key`.
  public init() {}
}
