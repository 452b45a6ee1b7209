import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceState
import ResourceStore

/// The program: keeps feeds and their items, reads them in parallel, and lists what is new.
@main
struct FeedsCommand: Sendable {
  /// The output for items.
  var output: Output
  /// The output for progress and failures.
  var errors: Output
  /// The path of the library if the command line names none.
  var library: String
  /// What loads feeds; `nil` for a client that is made as the command line asks for.
  var loader: (any Loader)?
  var now: @Sendable () -> Date = { Date() }
  /// Counts the time between readings.
  var clock: any Clock<Duration> = ContinuousClock()
  /// Creates the signals at which feeds that are followed are read.
  var signals: @Sendable () -> AsyncStream<Void> = LiveSignals.continued

  static func main() async {
    // The library is private: files get the mode 0600 and folders 0700, those of SQLite included.
    umask(0o077)
    let environment = ProcessInfo.processInfo.environment
    let command = FeedsCommand(
      output: Output(.standardOutput, environment), errors: Output(.standardError, environment),
      library: Library.standardPath(environment))
    let words = Array(CommandLine.arguments.dropFirst())
    exit(await Interruption.cancelling { await command.run(words) }.rawValue)
  }

  /// Runs a command line without the program's own name.
  func run(_ words: [String]) async -> ProgramStatus {
    do {
      return try await run(Arguments(words))
    } catch let error as UsageError {
      errors.line("feeds: \(PlainText.visible(error.description))")
      errors.line(Help.hint)
      return .usage
    } catch is CancellationError {
      errors.line("Interrupted. What was read so far is kept.")
      return .interrupted
    } catch let error as LibraryError {
      FailureList(output: errors).write(error.cause, of: "the library, \(error.path)")
      return .database
    } catch {
      FailureList(output: errors).write(error, of: "feeds")
      return .failure
    }
  }

  private func run(_ arguments: Arguments) async throws -> ProgramStatus {
    if arguments.action == .help {
      output.write(Help.text)
      return .success
    }
    let path = path(for: arguments)
    do {
      let library = try await Library(path)
      let run = FeedsRun(
        library: library, arguments: arguments, now: now(), output: output, errors: errors)
      let status =
        switch arguments.action {
        case .list: try await run.list()
        case .remove(let names): try await run.remove(names)
        default: try await read(run)
        }
      // Waits for responses that are still being stored.
      await library.store.close()
      return status
    } catch let error as LoadError where error.kind == .store {
      throw LibraryError(path: path, cause: error)
    }
  }

  /// The user's own library is only made when there is a feed to keep: the recorded ones leave
  /// nothing behind.
  private func path(for arguments: Arguments) -> String {
    if let path = arguments.database { return path }
    let hasFeeds = !arguments.urls.isEmpty || FileManager.default.fileExists(atPath: library)
    return hasFeeds && arguments.action != .demonstrate ? library : Library.memory
  }

  private func read(_ run: FeedsRun) async throws -> ProgramStatus {
    let feeds = try await run.feeds()
    let loader = loader ?? client(for: run)
    let isDemo = feeds.isEmpty || run.arguments.action == .demonstrate
    if isDemo, !run.arguments.isOffline { return try await run.demonstrate(over: loader) }
    // Before the first reading, so that no signal is missed.
    let signals = run.arguments.isFollowing ? signals() : nil
    let status = try await run.read(feeds, over: loader)
    if let signals {
      try await run.follow(feeds, over: loader, clock: clock, signals: signals, date: now)
    }
    return status
  }

  private func client(for run: FeedsRun) -> Client {
    Client(baseURL: RecordedFeeds.baseURL) {
      $0.headers[.userAgent] = "feeds"
      $0.options.timeout = run.arguments.timeout
      $0.options.maximumBodySize = 64 << 20
      // A stale response of a server that fails was read before and is no news.
      $0.options.cachePolicy = .freshOnly
      $0.middleware = [run.library.cache, RecordedFeeds()]
    }
  }
}
