/// Reads time zones as feeds write them.
enum TimeZoneOffset {
  /// Seconds east of UTC: `Z`, `+02:00`, `-0800`, `+2`, `EST`, `GMT+1`. An unknown name is UTC.
  ///
  /// - Returns: `nil` for a sign without an offset behind it, and for what isn't a name.
  static func parse(_ text: some StringProtocol) -> Int? {
    let text = Substring(text)
    guard let sign = text.firstIndex(where: { $0 == "+" || $0 == "-" }) else {
      return text.allSatisfy(\.isLetter) ? (names[text.uppercased()] ?? 0) * 60 : nil
    }
    let digits = text[text.index(after: sign)...].filter { $0 != ":" }
    guard (1...4).contains(digits.count), let number = Int(digits), number >= 0 else { return nil }
    let (hours, minutes) = digits.count > 2 ? (number / 100, number % 100) : (number, 0)
    guard minutes < 60 else { return nil }
    return (text[sign] == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  /// Minutes east of UTC. Where a name means several zones, the one that feeds mean as a rule.
  private static let names: [String: Int] = [
    "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360,
    "PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "AST": -240, "ADT": -180,
    "NST": -210, "NDT": -150, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120,
    "MET": 60, "MEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "JST": 540, "KST": 540,
    "AEST": 600, "AEDT": 660, "AWST": 480, "NZST": 720, "NZDT": 780,
  ]
}
