import Foundation

extension Arguments {
  /// Reads the words of a command line.
  ///
  /// Options may stand before and behind other words, their values in the next word or behind `=`; `--` ends
  /// them. Words behind `--help` don't matter.
  ///
  /// - Parameter words: The words without the program's own name.
  /// - Throws: `UsageError` for an option that there isn't, a value that is missing or out of its range,
  ///   what doesn't go together, and a word that is no `http` or `https` URL where one is wanted.
  init(_ words: [String]) throws(UsageError) {
    var words = Words(words)
    var others: [String] = []
    while action != .help, let word = words.next() {
      switch word {
      case .other(let text): others.append(text)
      case .option(let name, let value): try take(name, value, &words)
      }
    }
    try take(others)
  }

  private mutating func take(
    _ name: String, _ value: String?, _ words: inout Words
  ) throws(UsageError) {
    switch (name, value) {
    case ("--help", nil), ("-h", nil): action = .help
    case ("--demo", nil): try choose(.demonstrate)
    case ("--list", nil): try choose(.list)
    case ("--remove", nil): try choose(.remove([]))
    case ("--json", nil): wantsJSON = true
    case ("--offline", nil): isOffline = true
    default:
      guard Self.namesWithValue.contains(name) else {
        throw UsageError("unknown option \(name)" + (value == nil ? "" : ", or it takes no value"))
      }
      try set(name, to: try words.value(name, value))
    }
  }

  private static let namesWithValue: Set = [
    "--database", "--feed", "--since", "--until", "--limit", "-n", "--concurrency", "--timeout",
  ]

  private mutating func set(_ name: String, to text: String) throws(UsageError) {
    switch name {
    case "--database": database = try Value.place(text, of: name)
    case "--feed": feeds.append(text)
    case "--since": since = try Value.moment(text, of: name)
    case "--until": until = try Value.moment(text, of: name)
    case "--concurrency": concurrency = try Value.number(text, of: name, in: 1...1000)
    case "--timeout": timeout = try Value.duration(text, of: name)
    default: limit = try Value.number(text, of: "--limit", in: 1...100_000)
    }
  }

  private mutating func choose(_ action: Action) throws(UsageError) {
    guard self.action == .read || self.action == action else {
      throw UsageError("--demo, --list and --remove don't go together")
    }
    self.action = action
  }

  /// Takes the words that are no options.
  private mutating func take(_ words: [String]) throws(UsageError) {
    switch action {
    case .help: return
    case .read:
      for word in words { urls.append(try Value.url(word)) }
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
}
