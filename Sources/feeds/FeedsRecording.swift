import Foundation
import ResourceLoading
import ResourceTesting

/// What takes the place of the network in a run that records what is sent and received, or plays a
/// recording.
struct FeedsRecording: Sendable {
  /// The transport; `nil` for the usual one.
  let transport: (any Transport)?
  /// The feeds of a recording that is played.
  private(set) var urls: [URL] = []
  private let recorder: (transport: RecordingTransport, file: URL)?

  /// Reads the file of `--replay`, if there is one.
  init(_ arguments: Arguments) throws {
    recorder = arguments.recording.map { (RecordingTransport(to: $0), $0) }
    guard let file = arguments.replay else {
      transport = recorder?.transport
      return
    }
    do throws(LoadError) {
      let archive = try HTTPArchive(contentsOf: file)
      transport = PlaybackTransport(archive, order: .repeatedly)
      urls = Self.feeds(in: archive)
      if urls.isEmpty {
        throw LoadError(
          .parsing, "no request of a feed is recorded in it", advice: "Record feeds with --record")
      }
    } catch {
      throw FileError(recording: file, error)
    }
  }

  /// Waits until everything is in the file of `--record`, which is made if there is none.
  func save() async throws {
    guard let (transport, file) = recorder else { return }
    do { try await transport.save() } catch { throw FileError(recording: file, error) }
  }

  /// The URLs that were asked for, except those that a redirect led to.
  private static func feeds(in archive: HTTPArchive) -> [URL] {
    var (urls, targets) = ([URL](), Set<URL>())
    for entry in archive.entries where entry.request.method == "GET" {
      guard let url = URL(string: entry.request.url), url.isWeb else { continue }
      let target = entry.response.headers[.location].flatMap { URL(string: $0, relativeTo: url) }
      if let target { targets.insert(target.absoluteURL) }
      if !urls.contains(url) { urls.append(url) }
    }
    return urls.filter { !targets.contains($0) }
  }
}
