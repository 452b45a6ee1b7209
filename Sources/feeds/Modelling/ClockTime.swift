/// A time of day: `10:20`, `10:20:30`, `10:20:30.25`.
struct ClockTime: Equatable {
  var hour: Int
  var minute: Int
  var second: Double

  /// Reads hours, minutes and, if there are any, seconds with a fraction; `nil` if it is something else.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let hour = Self.number(parts[0]),
      let minute = Self.number(parts[1])
    else { return nil }
    self.hour = hour
    self.minute = minute
    guard parts.count == 3 else {
      second = 0
      return
    }
    let fraction = parts[2].map { $0 == "," ? "." : $0 }
    guard fraction.first?.isNumber == true, let second = Double(String(fraction)) else {
      return nil
    }
    self.second = second
  }

  /// Makes it the time of a moment.
  func set(_ moment: inout CalendarMoment) {
    moment.hour = hour
    moment.minute = minute
    moment.second = second
  }

  private static func number(_ text: some StringProtocol) -> Int? {
    guard (1...2).contains(text.count), text.allSatisfy({ ("0"..."9").contains($0) }) else {
      return nil
    }
    return Int(text)
  }
}
