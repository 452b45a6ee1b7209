/// An optional time in eight bytes instead of 32, to the nanosecond and up to 292 years: every live resource has several.
@propertyWrapper
struct CompactTime: Sendable {
  private var nanoseconds = Int64.min

  init() {}

  init(wrappedValue: Duration?) { self.wrappedValue = wrappedValue }

  var wrappedValue: Duration? {
    get { nanoseconds == .min ? nil : .nanoseconds(nanoseconds) }
    set { nanoseconds = newValue.map(Self.nanoseconds) ?? .min }
  }

  private static func nanoseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, exceeds) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard overflows || exceeds else { return max(sum, .min + 1) }
    return seconds < 0 ? .min + 1 : .max
  }
}
