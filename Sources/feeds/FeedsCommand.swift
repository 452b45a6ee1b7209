import Foundation
import ResourceLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The program: reads feeds in parallel, and lists their newest items.
@main
struct FeedsCommand: Sendable {
  /// Where the items go.
  var output: Channel

  /// Where progress and failures go.
  var errors: Channel

  /// Loads everything.
  var loader: any Loader

  static func main() async {
    let environment = ProcessInfo.processInfo.environment
    let command = FeedsCommand(
      output: .standardOutput(environment), errors: .standardError(environment),
      loader: URLSession(configuration: .ephemeral))
    let status = await command.run(Array(CommandLine.arguments.dropFirst()))
    exit(status.rawValue)
  }

  /// Does what the words of a command line say.
  ///
  /// - Parameter words: The words without the program's own name.
  func run(_ words: [String]) async -> Outcome {
    do {
      let arguments = try Arguments(words)
      guard !arguments.wantsHelp else {
        output.write(Help.text)
        return .success
      }
      return arguments.urls.isEmpty ? await demonstrate(arguments) : await read(arguments)
    } catch {
      errors.line("feeds: \(error)")
      errors.line(Help.hint)
      return .usage
    }
  }
}

extension FeedsCommand {
  /// Reads the feeds that were asked for. Whoever asked wants all of them, so one failure shows in the exit
  /// status.
  private func read(_ arguments: Arguments) async -> Outcome {
    let readings = await list(arguments.urls.map { Source($0) }, arguments)
    return readings.allSatisfy { $0.failure == nil } ? .success : .failure
  }

  /// Reads the recorded feeds from a server in this process. One of them is missing on purpose, so a failure
  /// counts only if nothing could be read.
  private func demonstrate(_ arguments: Arguments) async -> Outcome {
    do {
      let server = try DemoServer()
      defer { server.stop() }
      return try await read(index: server.index, arguments)
    } catch {
      FailureListing(channel: errors).write(error, of: "the recorded feeds")
      return .failure
    }
  }

  /// Reads the feeds that an index lists.
  ///
  /// - Throws: `LoadError` if the index can't be read.
  func read(index: URL, _ arguments: Arguments) async throws -> Outcome {
    // By await: nothing can be done before the index is there, so the next line waits for it.
    let index = try await loader.load(FeedIndex.resource(index, timeout: arguments.timeout))
    let notice = Notice()
    if let url = index.notice { notice.start(url, over: loader) }
    let readings = await list(index.sources, arguments)
    if let text = notice.finish() {
      let lines = text.wrapped(to: errors.width).map { errors.styled($0, .dim) }
      errors.line(lines.joined(separator: "\n"))
    }
    return readings.contains { $0.feed != nil } ? .success : .failure
  }

  private func list(_ sources: [Source], _ arguments: Arguments) async -> [Reading] {
    var progress = ProgressDisplay(errors, total: sources.count)
    let readings = await FeedLoading(loader: loader, arguments: arguments)
      .read(sources) { progress.advance($0) }
    progress.finish()
    ItemListing(channel: output).write(ListedItem.newest(arguments.count, of: readings))
    FailureListing(channel: errors).write(readings)
    return readings
  }
}
