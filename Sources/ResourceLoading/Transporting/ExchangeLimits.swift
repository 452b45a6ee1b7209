/// What one exchange may take.
struct ExchangeLimits: Sendable {
  /// When it has to be over, on `clock`; `nil` for no limit.
  var deadline: Duration?
  /// How long that was to be, for the error text.
  var duration: Duration?
  /// What counts the time.
  var clock = LoadClock.system
  /// How many decoded bytes a body may have.
  var maximumBodySize: Int

  /// How many bytes a body may have unless a request says otherwise: 256 MiB.
  static let defaultMaximumBodySize = 256 << 20
}
