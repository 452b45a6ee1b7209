/// What one exchange may take.
struct ExchangeLimits: Sendable {
  /// When the whole load has to be over; `nil` for no limit.
  var deadline: ContinuousClock.Instant?
  /// The total that `deadline` was computed from, for the error text.
  var total: Duration?
  /// How many decoded bytes a body may have.
  var maximumBodySize: Int

  /// How many bytes a body may have unless a request says otherwise: 256 MiB.
  static let defaultMaximumBodySize = 256 << 20
}
