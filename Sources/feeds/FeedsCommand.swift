import Foundation
import ResourceLoading

/// The program: keeps feeds and their items, reads them in parallel, and lists what is new.
@main
struct FeedsCommand: Sendable {
  /// Where the items go.
  var output: Channel

  /// Where progress and failures go.
  var errors: Channel

  /// Where feeds are kept if the command line doesn't say it.
  var place: LibraryPlace

  /// Makes what loads everything, through some middleware.
  var connect: @Sendable ([any Middleware]) -> any Loader = FeedsCommand.client

  /// What time it is.
  var now: @Sendable () -> Date = { Date() }

  static func main() async {
    // What is kept is nobody else's business: files are made 0600 and folders 0700, those of SQLite too.
    umask(0o077)
    let environment = ProcessInfo.processInfo.environment
    let command = FeedsCommand(
      output: .standardOutput(environment), errors: .standardError(environment),
      place: .standard(environment))
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
      FailureListing(channel: errors).write(error.cause, of: "the library, \(error.place)")
      return .database
    } catch {
      FailureListing(channel: errors).write(error, of: "feeds")
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
    return try await Library.use(place(for: arguments)) { library in
      let visit = Visit(
        library: library, arguments: arguments, now: now(), output: output, errors: errors)
      return switch arguments.action {
      case .list: try await visit.list()
      case .remove(let names): try await visit.remove(names)
      default: try await read(visit)
      }
    }
  }

  /// A library that nobody named is only made once there is a feed to keep: the recorded ones leave nothing
  /// behind.
  private func place(for arguments: Arguments) -> LibraryPlace {
    if let place = arguments.database { return place }
    let isForOwnFeeds =
      arguments.action != .demonstrate && (place.exists || !arguments.urls.isEmpty)
    return isForOwnFeeds ? place : .memory
  }

  private func read(_ visit: Visit) async throws -> Outcome {
    let sources = try await visit.sources()
    let isDemo = sources.isEmpty || visit.arguments.action == .demonstrate
    let server = isDemo || sources.contains { RecordedFeeds.has($0.url) } ? try DemoServer() : nil
    defer { server?.stop() }
    let loader = connect([visit.library.cache] + (server?.middleware ?? []))
    guard isDemo, !visit.arguments.isOffline, let server else {
      return try await visit.run(sources, over: loader)
    }
    return try await visit.demonstrate(server.index, over: loader)
  }
}
