import Foundation
import ResourceLoading
import ResourceTesting

/// The transport of a run that records what is sent and received, or plays a recording.
struct FeedsWire: Sendable {
  /// The transport; `nil` for the usual one.
  let transport: (any Transport)?
  /// The feeds of a recording that is replayed.
  private(set) var urls: [URL] = []
  private let recorder: RecordingTransport?
  private let file: URL?

  /// Reads the file of `--replay`, if there is one.
  ///
  /// - Throws: `FileError` if it can't be read, or has no feeds.
  init(_ arguments: Arguments) throws {
    file = arguments.recording ?? arguments.replay
    recorder = arguments.recording.map { RecordingTransport(to: $0) }
    guard let replay = arguments.replay else {
      transport = recorder
      return
    }
    do throws(LoadError) {
      let archive = try HTTPArchive(contentsOf: replay)
      transport = PlaybackTransport(archive, order: .repeatedly)
      urls = Self.feeds(in: archive)
      if urls.isEmpty {
        throw LoadError(
          .parsing, "no request of a feed is recorded in it", advice: "Record feeds with --record")
      }
    } catch {
      throw FileError(recording: replay, error)
    }
  }

  /// Waits until everything is in the file of `--record`, which is made if there is none.
  ///
  /// - Throws: `FileError`.
  func save() async throws {
    guard let recorder, let file else { return }
    do { try await recorder.save() } catch { throw FileError(recording: file, error) }
  }

  /// The URLs that were asked for, except those that a redirect led to.
  private static func feeds(in archive: HTTPArchive) -> [URL] {
    var (urls, targets) = ([URL](), Set<URL>())
    for entry in archive.entries where entry.request.method == "GET" {
      guard let url = URL(string: entry.request.url), url.isWeb else { continue }
      if let location = entry.response.headers[.location],
        let target = URL(string: location, relativeTo: url)?.absoluteURL
      {
        targets.insert(target)
      }
      if !urls.contains(url) { urls.append(url) }
    }
    return urls.filter { !targets.contains($0) }
  }
}
