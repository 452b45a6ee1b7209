/// What one exchange may take.
package struct ExchangeLimits: Sendable {
  /// When it has to be over, on `clock`; `nil` for no limit.
  var deadline: Duration?
  /// How long that was to be, for the error text.
  var duration: Duration?
  /// How long nothing may happen; `nil` for no limit, or where the transport keeps it.
  var idle: Duration?
  /// What counts the time.
  var clock = LoadClock.system
  /// How many decoded bytes the body may have that was asked for; `nil` for any number.
  var maximumBodySize: Int? = defaultMaximumBodySize
  /// How many bytes the headers may have.
  var maximumHeaderSize = defaultMaximumHeaderSize
  /// What was asked for. Of the body of any other response the beginning is enough.
  var accepted = Request.AcceptedStatuses.successful

  /// How many bytes a body in memory may have unless a request says otherwise: 256 MiB.
  package static let defaultMaximumBodySize = 256 << 20

  /// How many bytes the headers may have unless a request says otherwise: 256 KiB.
  static let defaultMaximumHeaderSize = 256 << 10

  /// How many bytes are kept of the body of a response that isn't accepted: 1 MiB.
  package static let maximumErrorBodySize = 1 << 20
}
