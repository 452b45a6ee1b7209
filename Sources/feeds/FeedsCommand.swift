import Foundation
import ResourceFeeds
import ResourceInspector
import ResourceLoading
import ResourceState
import ResourceStore

/// The program: reads feeds in parallel, keeps their items, and lists what is new.
@main
struct FeedsCommand: Sendable {
  var output: Output
  /// The output for progress and failures.
  var errors: Output
  /// The path of the library if the command line names none.
  var library = Library.standardPath
  /// What loads feeds; `nil` for a client of the program's own.
  var loader: (any Loader)?
  var now: @Sendable () -> Date = { Date() }
  /// Counts the time between readings.
  var clock: any Clock<Duration> = ContinuousClock()
  /// Creates the signals at which followed feeds are read.
  var signals: @Sendable () -> AsyncStream<Void> = LiveSignals.continued

  enum Status: Int32 {
    case success = 0
    case failure = 1
    /// The command line can't be understood (`EX_USAGE` of sysexits.h).
    case usage = 64
  }

  static func main() async {
    // The library is private: files get the mode 0600 and folders 0700, those of SQLite included.
    umask(0o077)
    let command = FeedsCommand(output: Output(descriptor: 1), errors: Output(descriptor: 2))
    exit(await command.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// Runs a command line without the program's own name.
  func run(_ words: [String]) async -> Status {
    do {
      return try await run(Arguments(words))
    } catch let error as UsageError {
      errors.line("feeds: \(PlainText.visible(error.description))")
      errors.line(Help.hint)
      return .usage
    } catch {
      errors.failure(error, of: "feeds")
      return .failure
    }
  }

  private func run(_ arguments: Arguments) async throws -> Status {
    if arguments.wantsHelp {
      output.write(Help.text)
      return .success
    }
    let library = try await Library(path(for: arguments))
    let run = FeedsRun(
      library: library, arguments: arguments, now: now(), output: output, errors: errors)
    let inspector = arguments.inspection.map { _ in Inspector() }
    inspector?.show(library.cache)
    let status: Status
    do {
      status = try await read(run, inspector)
    } catch {
      try await save(inspector, for: arguments)
      throw error
    }
    try await save(inspector, for: arguments)
    // Waits for responses that are still being stored.
    await library.store.close()
    return status
  }

  /// The user's own library is only created when there is a feed to keep: the recorded ones leave
  /// nothing behind.
  private func path(for arguments: Arguments) -> String {
    if let path = arguments.database { return path }
    let isNeeded = !arguments.urls.isEmpty || FileManager.default.fileExists(atPath: library)
    return isNeeded ? library : Library.memory
  }

  private func save(_ inspector: Inspector?, for arguments: Arguments) async throws {
    guard let inspector, let path = arguments.inspection else { return }
    try await inspector.html().write(to: URL(filePath: path), atomically: true, encoding: .utf8)
  }

  private func read(_ run: FeedsRun, _ inspector: Inspector?) async throws -> Status {
    let loader = loader ?? client(for: run.library, inspector)
    var feeds = try await run.feeds()
    let isDemo = feeds.isEmpty && !run.arguments.isOffline
    if isDemo {
      let urls = try await loader.load(.json(.get("/index.json"), as: [URL].self))
      feeds = try await run.library.feeds(at: urls, now: run.now)
    }
    // Before the first reading, so that no signal is missed.
    let signals = run.arguments.isFollowing ? signals() : nil
    let results = try await run.read(feeds, over: loader)
    if let signals {
      try await run.follow(feeds, over: loader, clock: clock, signals: signals, date: now)
    }
    // One of the recorded feeds is missing on purpose.
    let isRead = isDemo ? results.contains { $0.change != nil } : !results.hasFailures
    return isRead ? .success : .failure
  }

  private func client(for library: Library, _ inspector: Inspector?) -> Client {
    Client(baseURL: RecordedFeeds.baseURL) {
      $0.headers[.userAgent] = "feeds"
      $0.options.timeout = .seconds(30)
      $0.options.maximumBodySize = 64 << 20
      // A stale response of a server that fails was already read, so it isn't news.
      $0.options.cachePolicy = .freshOnly
      $0.middleware = [library.cache, RecordedFeeds()]
      if let inspector { $0.inspect(with: inspector) }
    }
  }
}
