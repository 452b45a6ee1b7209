import Foundation
import ResourceFeeds
import ResourceLoading

/// The program: keeps feeds and their items, reads them in parallel, and lists what is new.
@main
struct FeedsCommand: Sendable {
  /// The output for items.
  var output: Output

  /// The output for progress and failures.
  var errors: Output

  /// The library if the command line names none.
  var location: LibraryLocation

  /// Makes what loads everything, through some middleware.
  var connect: @Sendable ([any Middleware]) -> any Loader = FeedsCommand.client

  /// The clock.
  var now: @Sendable () -> Date = { Date() }

  static func main() async {
    // What is kept is nobody else's business: files are made 0600 and folders 0700, those of SQLite too.
    umask(0o077)
    let environment = ProcessInfo.processInfo.environment
    let command = FeedsCommand(
      output: .standardOutput(environment), errors: .standardError(environment),
      location: .standard(environment))
    let words = Array(CommandLine.arguments.dropFirst())
    let status = await Interruption.cancelling { await command.run(words) }
    exit(status.rawValue)
  }

  /// Does what the words of a command line say.
  ///
  /// - Parameter words: The words without the program's own name.
  func run(_ words: [String]) async -> Outcome {
    do {
      return try await carryOut(Arguments(words))
    } catch let error as UsageError {
      errors.line("feeds: \(PlainText.visible(error.reason))")
      errors.line(Help.hint)
      return .usage
    } catch is CancellationError {
      errors.line("Interrupted. What was read so far is kept.")
      return .interrupted
    } catch let error as LibraryError {
      FailureListing(output: errors).write(error.cause, of: "the library, \(error.location)")
      return .database
    } catch {
      FailureListing(output: errors).write(error, of: "feeds")
      return .failure
    }
  }
}

extension FeedsCommand {
  /// A client as a reader of feeds needs one.
  @Sendable
  private static func client(_ middleware: [any Middleware]) -> any Loader {
    Client {
      $0.headers[.userAgent] = "feeds"
      $0.options.maximumBodySize = 64 << 20
      $0.middleware = middleware
    }
  }

  private func carryOut(_ arguments: Arguments) async throws -> Outcome {
    if arguments.action == .help {
      output.write(Help.text)
      return .success
    }
    return try await Library.use(location(for: arguments)) { library in
      let run = FeedsRun(
        library: library, arguments: arguments, now: now(), output: output, errors: errors)
      return switch arguments.action {
      case .list: try await run.list()
      case .remove(let names): try await run.remove(names)
      default: try await read(run)
      }
    }
  }

  /// A library that nobody named is only made once there is a feed to keep: the recorded ones leave nothing
  /// behind.
  private func location(for arguments: Arguments) -> LibraryLocation {
    if let location = arguments.database { return location }
    let isForOwnFeeds =
      arguments.action != .demonstrate && (location.exists || !arguments.urls.isEmpty)
    return isForOwnFeeds ? location : .memory
  }

  private func read(_ run: FeedsRun) async throws -> Outcome {
    let sources = try await run.sources()
    let isDemo = sources.isEmpty || run.arguments.action == .demonstrate
    let server = isDemo || sources.contains { RecordedFeeds.has($0.url) } ? try DemoServer() : nil
    defer { server?.stop() }
    let loader = connect([run.library.cache] + (server?.middleware ?? []))
    guard isDemo, !run.arguments.isOffline, let server else {
      return try await run.run(sources, over: loader)
    }
    return try await run.demonstrate(server.index, over: loader)
  }
}

/// The exit status of the program.
enum Outcome: Int32 {
  /// The items that were asked for are listed.
  case success = 0
  /// A feed that was asked for, or everything that was recorded, failed.
  case failure = 1
  /// The command line can't be understood (`EX_USAGE` of sysexits.h).
  case usage = 64
  /// The library can't be read or written (`EX_IOERR`).
  case database = 74
  /// Ctrl-C.
  case interrupted = 130
}
