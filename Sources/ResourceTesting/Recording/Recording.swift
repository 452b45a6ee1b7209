public import Foundation
public import ResourceLoading
import ResourcePrimitives

/// A recording for a test, made once with the real service and then played.
///
/// ```swift
/// let recording = try Recording("Fixtures/github.har")
/// let client = Client(baseURL: url) { $0.transport = recording }
/// ```
///
/// With `RESOURCE_RECORDING=record` in the environment, all requests go to the service and the file
/// is replaced. With `RESOURCE_RECORDING=recordMissing`, only requests that aren't in the file are
/// sent and added. If a request isn't recorded, the error says how to record it. `swift test
/// --filter` selects the tests whose files are written.
///
/// Recordings share no state, so tests with separate files can run in parallel. Once a load has
/// ended, its exchanges are in the file; see ``RecordingTransport``.
public final class Recording: Transport {
  /// The mode: play, record, or both.
  public let mode: Mode

  /// The URL of the file.
  public let file: URL

  private let way: Way

  private enum Way: Sendable {
    case play(PlaybackTransport)
    case record(RecordingTransport)
    case either(PlaybackTransport, RecordingTransport)
  }

  /// The mode of a recording: play, record, or both.
  @nonexhaustive
  public enum Mode: String, Sendable, CaseIterable {
    /// Answers from the file, and never sends anything.
    case playback
    /// Sends all requests, and replaces the file.
    case record
    /// Answers from the file, and sends and adds the requests that aren't in it.
    case recordMissing
  }

  /// The name of the environment variable that sets the mode.
  public static let environmentVariable = "RESOURCE_RECORDING"

  /// Creates a recording.
  ///
  /// - Parameters:
  ///   - path: The path of the file, relative to the folder of the source file that calls this. A
  ///     missing folder is created when the file is recorded.
  ///   - mode: The mode; `nil` for the one in the environment variable ``environmentVariable``, or
  ///     `.playback` if that isn't set.
  ///   - transport: The transport that sends requests when they are recorded; `nil` for the default
  ///     transport of a client.
  ///   - matchers: What has to match between a request and the entry that answers it.
  ///   - order: How often entries answer, and in which order.
  ///   - redaction: Additional rules for secrets.
  ///   - limits: The limits of the recording.
  ///   - source: The source file.
  /// - Throws: A `LoadError` of kind `file` or `parsing` if the file has to be played and can't be
  ///   read, of kind `file` if its folder has to be created and can't be, and of kind `invalidRequest` if the environment variable has any other value.
  public init(
    _ path: String, mode: Mode? = nil, over transport: (any Transport)? = nil,
    matching matchers: [RequestMatcher] = [.method, .url],
    order: PlaybackTransport.Order = .once,
    redaction: RecordingRedaction = RecordingRedaction(),
    limits: RecordingTransport.Limits = RecordingTransport.Limits(),
    relativeTo source: String = #filePath
  ) throws {
    let folder = URL(filePath: source).deletingLastPathComponent()
    file = URL(filePath: path, directoryHint: .notDirectory, relativeTo: folder).absoluteURL
    self.mode = try mode ?? Self.environmentMode(ProcessInfo.processInfo.environment)
    var archive = HTTPArchive()
    let exists = FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    if self.mode == .playback || self.mode == .recordMissing && exists {
      do throws(LoadError) { archive = try HTTPArchive(contentsOf: file) } catch {
        throw exists ? error : error.advising(Self.advice)
      }
    }
    let playback = PlaybackTransport(archive, matching: matchers, order: order)
    guard self.mode != .playback else {
      way = .play(playback)
      return
    }
    try Self.createFolder(of: file)
    let recorder = RecordingTransport(
      transport, Recorder(file, adding: archive, redaction, limits, LoadClock(ContinuousClock())))
    way = self.mode == .record ? .record(recorder) : .either(playback, recorder)
  }
}

extension Recording {
  /// Returns the identity of the transport that is recorded.
  public func identity(for url: URL) -> String? {
    switch way {
    case .play: nil
    case .record(let recorder), .either(_, let recorder): recorder.identity(for: url)
    }
  }

  /// Plays the answer to a request, or sends and records it.
  public func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
    switch way {
    case .play(let playback):
      let answer = Result { () throws(LoadError) in try playback.answer(to: request) }
      return playback.play(
        answer.mapError { $0.advising(Self.advice) }, to: request, receiver)
    case .record(let recorder): return recorder.start(request, receiver: receiver)
    case .either(let playback, let recorder):
      do throws(LoadError) {
        // A request that isn't recorded is sent, so no error with the nearest entry is needed.
        guard let entry = try playback.answerIfRecorded(to: request) else {
          return recorder.start(request, receiver: receiver)
        }
        return playback.play(.success(entry), to: request, receiver)
      } catch {
        return playback.play(.failure(error), to: request, receiver)
      }
    }
  }

  /// Whether the recorded transport delivers incrementally; `true` when a recording is played.
  public var deliversIncrementally: Bool { recorder?.deliversIncrementally ?? true }

  /// Whether the transport that is recorded can switch protocols; `true` when a recording is played,
  /// because it may have WebSockets.
  public var canSwitchProtocols: Bool {
    switch way {
    case .play, .either: true
    case .record(let recorder): recorder.canSwitchProtocols
    }
  }

  /// Whether the transport that is recorded delivers interim responses; `false` when a recording is
  /// played.
  public var deliversInterimResponses: Bool { recorder?.deliversInterimResponses ?? false }

  /// Whether the transport that is recorded can delay bodies; `false` when a recording is played.
  public var canDelayBodies: Bool { recorder?.canDelayBodies ?? false }

  /// The played entries that haven't answered a request so far; none in the mode `record`.
  public var unplayed: [HTTPArchive.Entry] {
    switch way {
    case .play(let playback), .either(let playback, _): playback.unplayed
    case .record: []
    }
  }

  private var recorder: RecordingTransport? {
    switch way {
    case .record(let recorder), .either(_, let recorder): recorder
    case .play: nil
    }
  }

  /// Waits until every exchange that has ended so far is in the file. Loads wait for their own
  /// exchanges, except for those that they gave up. It does nothing when a recording is played.
  ///
  /// - Throws: A `LoadError` of kind `file` if it can't be written.
  public func save() async throws { try await recorder?.save() }

  private static let advice =
    "Record it again by running the test with \(environmentVariable)=record in the environment, or add what is missing with \(environmentVariable)=recordMissing"

  private static func createFolder(of file: URL) throws(LoadError) {
    let folder = file.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw LoadError(
        .file,
        "the folder \(folder.path(percentEncoded: false)) can't be created: "
          + (POSIXError(behind: error)?.text ?? "\(error)"), underlying: error)
    }
  }

  static func environmentMode(_ environment: [String: String]) throws(LoadError) -> Mode {
    guard let name = environment[environmentVariable], !name.isEmpty else { return .playback }
    guard let mode = Mode(rawValue: name) else {
      throw LoadError(
        .invalidRequest, "\(environmentVariable) is \"\(name.printable)\", which isn't a mode",
        advice: "Set it to \(Mode.allCases.map(\.rawValue).joined(separator: ", ")), or unset it")
    }
    return mode
  }
}

extension LoadError {
  fileprivate func advising(_ advice: String) -> LoadError {
    var error = self
    error.advice = error.advice ?? advice
    return error
  }
}
