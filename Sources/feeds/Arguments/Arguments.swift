import Foundation

/// The command line.
struct Arguments: Equatable, Sendable {
  enum Action: Equatable, Sendable {
    case read
    case demonstrate
    case list
    /// Forget feeds, by URL or title.
    case remove([String])
    case help
  }

  var action = Action.read
  /// The feeds to read; empty for those that are kept.
  var urls: [URL] = []
  /// The library; `nil` for the user's own.
  var database: LibraryLocation?
  var isOffline = false
  var wantsJSON = false
  /// Whether to go on reading the feeds, and list what is new.
  var isFollowing = false
  /// The time from one reading to the next.
  var pause = Duration.seconds(900)
  /// Texts in the titles or URLs of the kept feeds to choose; empty for all.
  var feeds: [String] = []
  var since: PointInTime?
  var until: PointInTime?
  /// The most items to list.
  var limit = 20
  /// The most feeds to load at once.
  var concurrency = 8
  /// The time limit of one feed.
  var timeout = Duration.seconds(30)
  /// The file that what is sent and received is written into; `nil` for none.
  var recording: URL?
  /// The file that answers in the place of servers; `nil` for none.
  var replay: URL?
}

/// A command line that can't be understood. The reason is a sentence without a full stop.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Arguments {
  /// Parses a command line without the program's own name.
  ///
  /// Options may stand before and behind other words, their values in the next word or behind `=`; `--` ends
  /// them. Words behind `--help` are ignored.
  ///
  /// - Throws: `UsageError` for an unknown option, a value that is missing or out of range, options that exclude each
  ///   other, and a word that should be an `http` or `https` URL and isn't.
  init(_ words: [String]) throws(UsageError) {
    self.init()
    var rest = words[...]
    var others: [String] = []
    while action != .help, let word = rest.popFirst() {
      if word == "--" {
        others += rest
        break
      } else if word.hasPrefix("-") {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        try take(String(parts[0]), parts.count > 1 ? String(parts[1]) : nil, &rest)
      } else {
        others.append(word)
      }
    }
    try take(others)
  }

  /// - Parameters:
  ///   - given: The value behind `=`; `nil` if it may be the next word.
  ///   - rest: The words behind the option.
  /// - Throws: `UsageError` if there is no such option, or its value is missing or wrong.
  private mutating func take(
    _ name: String, _ given: String?, _ rest: inout ArraySlice<String>
  ) throws(UsageError) {
    /// - Throws: `UsageError` if there is no value.
    func value() throws(UsageError) -> String {
      guard let value = given ?? rest.popFirst() else { throw UsageError("\(name) needs a value") }
      return value
    }
    switch (name, given) {
    case ("--help", nil), ("-h", nil): action = .help
    case ("--demo", nil): try choose(.demonstrate)
    case ("--list", nil): try choose(.list)
    case ("--remove", nil): try choose(.remove([]))
    case ("--json", nil): wantsJSON = true
    case ("--offline", nil): isOffline = true
    case ("--follow", nil): isFollowing = true
    case ("--database", _): database = LibraryLocation(path: try Self.path(value(), of: name))
    case ("--record", _): recording = try Self.file(value(), of: name)
    case ("--replay", _): replay = try Self.file(value(), of: name)
    case ("--feed", _): feeds.append(try value())
    case ("--since", _): since = try Self.point(value(), of: name)
    case ("--until", _): until = try Self.point(value(), of: name)
    case ("--concurrency", _): concurrency = try Self.number(value(), of: name, in: 1...1000)
    case ("--timeout", _): timeout = try Self.duration(value(), of: name, in: 0.001...86_400)
    case ("--every", _): pause = try Self.duration(value(), of: name, in: 1...86_400)
    case ("--limit", _), ("-n", _):
      limit = try Self.number(value(), of: "--limit", in: 1...100_000)
    default:
      throw UsageError("unknown option \(name)" + (given == nil ? "" : ", or it takes no value"))
    }
  }

  /// - Throws: `UsageError` if another action was chosen before.
  private mutating func choose(_ action: Action) throws(UsageError) {
    guard self.action == .read || self.action == action else {
      throw UsageError("--demo, --list and --remove don't go together")
    }
    self.action = action
  }

  /// Takes the words that are no options.
  ///
  /// - Throws: `UsageError` if a word is no address, or options exclude each other.
  private mutating func take(_ words: [String]) throws(UsageError) {
    if isFollowing, action != .help, action != .read || isOffline || wantsJSON {
      throw UsageError("--follow doesn't go with --demo, --list, --remove, --offline and --json")
    }
    if recording != nil || replay != nil { try checkRecording() }
    switch action {
    case .help: return
    case .read:
      for word in words {
        guard let url = URL(string: word), url.isWeb else {
          throw UsageError("\"\(word)\" is no http or https URL")
        }
        urls.append(url)
      }
      guard urls.isEmpty || feeds.isEmpty else {
        throw UsageError("--feed chooses among kept feeds, so it doesn't go with URLs")
      }
    case .remove:
      guard !words.isEmpty else {
        throw UsageError("--remove needs the URL or the title of a feed")
      }
      action = .remove(words)
    case .demonstrate, .list:
      guard let word = words.first else { return }
      throw UsageError("\"\(word)\" doesn't go with --\(action == .list ? "list" : "demo")")
    }
  }

  /// - Throws: `UsageError` for what doesn't go together with a recording.
  private func checkRecording() throws(UsageError) {
    let name = recording == nil ? "--replay" : "--record"
    if recording != nil, replay != nil {
      throw UsageError("--record and --replay don't go together")
    }
    if action != .help, action != .read || isOffline {
      throw UsageError("\(name) doesn't go with --demo, --list, --remove and --offline")
    }
    if replay != nil, isFollowing { throw UsageError("--replay doesn't go with --follow") }
  }

  /// - Throws: `UsageError` if it is no path of a file.
  private static func file(_ text: String, of option: String) throws(UsageError) -> URL {
    URL(filePath: try path(text, of: option), directoryHint: .notDirectory)
  }

  /// - Throws: `UsageError` if it is no path of a file.
  private static func path(_ text: String, of option: String) throws(UsageError) -> String {
    guard !text.isEmpty else { throw UsageError("\(option) takes the path of a file") }
    return text
  }

  /// - Throws: `UsageError` if it is no number of seconds, or out of range.
  private static func duration(
    _ text: String, of option: String, in range: ClosedRange<Double>
  ) throws(UsageError) -> Duration {
    guard let seconds = Double(text), range.contains(seconds) else {
      let (least, most) = (range.lowerBound, Int(range.upperBound))
      let from = least < 1 ? "\(least)" : "\(Int(least))"
      throw UsageError("\(option) takes seconds from \(from) to \(most), not \"\(text)\"")
    }
    return .milliseconds(Int((seconds * 1000).rounded()))
  }

  /// - Throws: `UsageError` if it is no number, or out of range.
  private static func number(
    _ text: String, of option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
    }
    return number
  }

  /// - Throws: `UsageError` if it is no date.
  private static func point(_ text: String, of option: String) throws(UsageError) -> PointInTime {
    guard let point = PointInTime(text) else {
      throw UsageError(
        "\(option) takes a day (2026-11-20), a moment (2026-11-20T18:00Z) or a time ago "
          + "(30m, 12h, 7d, 2w), not \"\(text)\"")
    }
    return point
  }
}

extension URL {
  /// Whether this is an absolute `http` or `https` URL with a host.
  var isWeb: Bool {
    ["http", "https"].contains(scheme?.lowercased()) && host()?.isEmpty == false
  }
}
