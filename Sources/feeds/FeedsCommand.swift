import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceState
import ResourceTesting

/// The program: keeps feeds and their items, reads them in parallel, and lists what is new.
@main
struct FeedsCommand: Sendable {
  /// The output for items.
  var output: Output
  /// The output for progress and failures.
  var errors: Output
  /// The library if the command line names none.
  var location: LibraryLocation
  /// Makes the loader, with some middleware, and a transport if it isn't the usual one.
  var connect: @Sendable ([any Middleware], (any Transport)?) -> any Loader = FeedsCommand.client
  var now: @Sendable () -> Date = { Date() }
  /// Counts the time between readings.
  var clock: any Clock<Duration> = ContinuousClock()
  /// Makes the signals at which feeds that are followed are read.
  var signals: @Sendable () -> AsyncStream<Void> = LiveSignals.continued

  static func main() async {
    // The library is private: files get the mode 0600 and folders 0700, those of SQLite included.
    umask(0o077)
    let environment = ProcessInfo.processInfo.environment
    let command = FeedsCommand(
      output: Output(.standardOutput, environment), errors: Output(.standardError, environment),
      location: .standard(environment))
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
    } catch let error as FileError {
      FailureList(output: errors).write(error.cause, of: error.file)
      return error.status
    } catch {
      FailureList(output: errors).write(error, of: "feeds")
      return .failure
    }
  }

  /// - Throws: What opening and using the library throws, what the demo server throws, and `FileError`.
  private func run(_ arguments: Arguments) async throws -> ProgramStatus {
    if arguments.action == .help {
      output.write(Help.text)
      return .success
    }
    let wire = try FeedsWire(arguments)
    var arguments = arguments
    if arguments.urls.isEmpty { arguments.urls = wire.urls }
    return try await Library.use(location(for: arguments)) { [arguments] library in
      let run = FeedsRun(
        library: library, arguments: arguments, now: now(), output: output, errors: errors)
      return switch arguments.action {
      case .list: try await run.list()
      case .remove(let names): try await run.remove(names)
      default: try await read(run, over: wire)
      }
    }
  }

  /// The user's own library is only made when there is a feed to keep: the recorded ones leave nothing behind.
  private func location(for arguments: Arguments) -> LibraryLocation {
    if let location = arguments.database { return location }
    if arguments.replay != nil { return .memory }
    let isForOwnFeeds =
      arguments.action != .demonstrate && (location.exists || !arguments.urls.isEmpty)
    return isForOwnFeeds ? location : .memory
  }

  /// - Throws: What using the library throws, what the demo server throws, and `FileError`.
  private func read(_ run: FeedsRun, over wire: FeedsWire) async throws -> ProgramStatus {
    let sources = try await run.sources()
    if sources.isEmpty, run.arguments.recording != nil {
      throw UsageError("--record needs feeds: name their URLs")
    }
    // A file that can't be written fails before anything is sent.
    try await wire.save()
    let isDemo = sources.isEmpty || run.arguments.action == .demonstrate
    let server = isDemo || sources.contains { RecordedFeeds.has($0.url) } ? try DemoServer() : nil
    defer { server?.stop() }
    let cache: [any Middleware] = wire.transport == nil ? [run.library.cache] : []
    let loader = connect(cache + (server?.middleware ?? []), wire.transport)
    guard isDemo, !run.arguments.isOffline, let server else {
      // Before the first reading, so that no signal is missed.
      let signals = run.arguments.isFollowing ? signals() : nil
      let status = try await run.read(sources, over: loader)
      try await wire.save()
      guard let signals, !sources.isEmpty else { return status }
      try await run.follow(sources, over: loader, clock: clock, signals: signals, date: now)
      return status
    }
    return try await run.demonstrate(server.index, over: loader)
  }

  @Sendable
  private static func client(
    _ middleware: [any Middleware], _ transport: (any Transport)?
  ) -> any Loader {
    Client {
      $0.transport = transport
      $0.headers[.userAgent] = "feeds"
      $0.options.maximumBodySize = 64 << 20
      $0.middleware = middleware
    }
  }
}
