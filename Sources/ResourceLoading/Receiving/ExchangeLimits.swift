/// What one exchange may take.
package struct ExchangeLimits: Sendable {
  /// When it has to be over, on `clock`; `nil` for no limit.
  var deadline: Duration?
  /// How long that was to be, for the error text.
  var duration: Duration?
  /// How long nothing may happen; `nil` for no limit, or where the transport keeps it.
  var idle: Duration?
  /// How fast a body has to arrive at least; `nil` for no limit.
  var throughput: Request.Throughput?
  /// Whose share of the memory for bodies is used; `nil` for nobody's.
  var load: LoadContext?
  /// What counts the time.
  var clock = LoadClock.system
  /// How many decoded bytes the body may have that was asked for; `nil` for any number.
  var maximumBodySize: Int? = defaultMaximumBodySize
  /// How many bytes the headers may have.
  var maximumHeaderSize = defaultMaximumHeaderSize
  /// What was asked for. Of the body of any other response the beginning is enough.
  var accepted = Request.AcceptedStatuses.successful

  /// How long a load may send and receive unless its request says otherwise: a day.
  static let defaultTimeout = Duration.seconds(86_400)

  /// How many bytes a body in memory may have unless a request says otherwise: 256 MiB.
  package static let defaultMaximumBodySize = 256 << 20

  /// How many bytes the headers may have unless a request says otherwise: 256 KiB.
  static let defaultMaximumHeaderSize = 256 << 10

  /// How many bytes of each body in memory don't count towards that of the client: 64 KiB.
  static let uncountedBodySize = 64 << 10

  /// How many bytes are kept of the body of a response that isn't accepted: 1 MiB.
  package static let maximumErrorBodySize = 1 << 20
}
