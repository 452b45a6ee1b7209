import Foundation
import PromiseModule
import ResourcePrimitives
import Synchronization

/// Uploads the body of a request so that it can be resumed: each step is an exchange of its own
/// behind all middleware.
struct UploadLoad: Sendable {
  private let next: Next
  /// The request of the load, without its body.
  private let request: Request
  private let options: UploadOptions
  private let body: WireBody
  /// The files of the body as they were when their lengths were taken.
  private let files: [FileStamp]
  private let mediaType: MediaType?
  private let isCareful: Bool
  /// Whether the transport copies what it sends unless it is a whole file.
  private let copiesSlices: Bool
  /// Whether the last bytes of a request can wait.
  private let canDelayEnd: Bool

  /// - Parameters:
  ///   - next: The outermost stage, for the load.
  ///   - request: The complete request.
  ///   - body: Its body.
  ///   - transport: The transport of the client.
  init(_ next: Next, _ request: Request, _ body: WireBody, over transport: any Transport) {
    self.next = next
    self.body = body
    files = body.fileStamps
    options = request.upload ?? UploadOptions()
    mediaType = request.body?.mediaType
    var request = request
    (request.body, request.upload) = (nil, nil)
    self.request = request
    copiesSlices = !transport.deliversInterimResponses
    isCareful = copiesSlices || options.journal != nil
    canDelayEnd = transport.canDelayBodies
  }

  private var context: LoadContext { next.context }

  private var mayRepeat: Bool {
    options.journal?.mayRepeat
      ?? request.method.isRepeatable(request.headers, markedAs: request.options.isIdempotent)
  }

  /// The most bytes that are copied for a transport that can't read from an offset: 64 MiB.
  private static let largestCopy = 64 << 20
}

// MARK: - The load

extension UploadLoad {
  /// Returns the response to the upload.
  ///
  /// - Parameter anew: Whether what an earlier load left isn't resumed.
  func response(anew: Bool) async throws -> Response {
    if options.journal?.cancels == true { return try await cancelEarlier() }
    let recorder = UploadRecorder(options.journal?.save)
    var (machine, isResumed) = try await begin(anew: anew)
    if isResumed, try await hasChanged(machine.record) {
      await cancel(machine)
      (machine, _) = try await begin(anew: true)
    }
    do {
      // A journal keeps the record until it has stored the response.
      let response = try await run(&machine, recorder)
      try? await recorder.flush()
      return response
    } catch {
      recorder.note(machine.record)
      try? await recorder.flush()
      // Nothing resumes it.
      let isGivenUp =
        options.journal == nil
        || options.change == .beginsAnew && (error as? LoadError)?.isChangedSource == true
      if isGivenUp, !Task.isCancelled { await cancel(machine) }
      throw error
    }
  }

  private func begin(anew: Bool) async throws -> (UploadMachine, isResumed: Bool) {
    if !anew, let earlier, earlier.state.length == body.length { return (earlier, true) }
    guard files.map(\.size) == body.fileSizes else { throw LoadError.changedSource }
    var state = UploadState(length: body.length)
    state.metadata = options.metadata
    if options.checksContent { state.digest = try await digest(0..<body.length, .sha256) }
    let strategy: any UploadStrategy
    if let chosen = options.resuming.strategy {
      strategy = chosen
    } else {
      strategy = try await discover(&state)
    }
    let record = UploadRecord(strategy: strategy.name, state: state, files: files)
    return (UploadMachine(record, by: strategy, rules), false)
  }

  private var rules: UploadMachine.Rules {
    UploadMachine.Rules(
      mayRepeat: mayRepeat, isCareful: isCareful, delaysEnd: canDelayEnd,
      maximumRequestSize: copiesSlices && body.hasFiles ? Self.largestCopy : nil,
      maximumFailures: options.maximumFailures)
  }

  /// What an earlier load left; `nil` if nothing can be resumed.
  private var earlier: UploadMachine? {
    guard let record = options.journal?.record, record.state.url != nil,
      let strategy = options.resuming.strategy ?? options.journal?.strategies[record.strategy],
      strategy.name == record.strategy
    else { return nil }
    return UploadMachine(record, by: strategy, rules)
  }

  /// Finds out what the server speaks. An interruption says nothing about that, so the server is
  /// asked again, as it is in the steps that follow.
  private func discover(_ state: inout UploadState) async throws -> any UploadStrategy {
    var failures = 0
    while true {
      let result = await ask()
      failures += 1
      switch result {
      case .success(let answer)
      where failures > options.maximumFailures || !Status.transient.contains(answer.status):
        return strategy(after: answer, &state)
      case .failure(let error) where failures > options.maximumFailures || !mayPass(error):
        throw error
      default: try await context.clock.sleep(pause(failures, result))
      }
    }
  }

  private func ask() async -> Result<Response, any Error> {
    var question = request
    question.method = .options
    question.headers.removeThoseOfContent()
    question.headers[.contentType] = nil
    question.headers.set("9", for: .uploadInteropVersion)
    question.options.isIdempotent = true
    question.options.cachePolicy = .networkOnly
    do { return .success(try await send(question)) } catch { return .failure(error) }
  }

  private func strategy(
    after answer: Response, _ state: inout UploadState
  ) -> any UploadStrategy {
    guard answer.status.isSuccess else { return ResumableUploads.unknown }
    if let tus = TusUploads(options: answer.headers) {
      state.limits.maximumSize = tus.maximumSize
      return tus
    }
    if let limits = UploadReport(upload: answer.headers).limits { state.limits = limits }
    return ResumableUploads.discovered(in: answer.headers)
  }

  /// Runs steps until the upload is complete or can't go on.
  private func run(
    _ machine: inout UploadMachine, _ recorder: UploadRecorder
  ) async throws -> Response {
    var stored: Response?
    while true {
      let step = try machine.next(at: context.clock.date())
      if let range = step.range, !range.isEmpty {
        if machine.failures > 0 || range.lowerBound > 0 { try check(machine.record.files) }
        let digest = options.checksContent ? machine.strategy.contentDigest : nil
        if let digest { machine.setDigest(try await self.digest(range, digest)) }
      }
      machine.begin(step)
      recorder.note(machine.record)
      try await recorder.flush()
      let exchanged = await perform(step, &machine, recorder)
      let outcome: UploadMachine.Outcome
      switch exchanged.result {
      case .success(let response):
        let answer = machine.strategy.answer(
          to: step, of: machine.state, status: response.status, headers: response.headers)
        outcome = try machine.receive(
          answer, to: step, response.status, from: response.url, at: context.clock.date())
        if case .finish = outcome {
          // The last request was answered, but not in the words of the protocol.
          if answer == .complete, step == .findOffset, let stored { return stored }
          guard answer == .complete || response.status.rawValue >= 400 else {
            throw LoadError.unclear
          }
          if answer == .complete, !response.status.isSuccess {
            machine.endRefused()
            recorder.note(machine.record)
          }
          return response
        }
        stored = response.status.isSuccess && step.range != nil ? response : nil
      case .failure(let error):
        guard exchanged.wasStopped || mayPass(error) else {
          // A file that ends too early has changed after its last check.
          if step.range?.isEmpty == false { try check(machine.record.files) }
          throw error
        }
        outcome = try machine.interrupt(
          step, wasSent: (error as? LoadError)?.isUnsent != true, wasStopped: exchanged.wasStopped)
        if case .finish = outcome { throw error }
      }
      if case .proceed(isFailure: true) = outcome {
        recorder.note(machine.record)
        try await context.clock.sleep(pause(machine.failures, exchanged.result))
      }
    }
  }

  private func mayPass(_ error: any Error) -> Bool {
    guard let error = error as? LoadError else { return false }
    return [.connection, .timedOut].contains(error.kind) || error.isPassingShortage
  }

  /// The wait after a failure: at least as long as the server asks for.
  private func pause(_ failures: Int, _ result: Result<Response, any Error>) -> Duration {
    var generator = SystemRandomNumberGenerator()
    let backoff = Backoff(base: .milliseconds(100), maximum: .seconds(20), jitter: .equal)
    let wait = backoff.wait(afterFailures: max(1, failures), using: &generator)
    guard case .success(let response) = result else { return wait }
    return max(
      wait, RetryAfter.duration(in: response.headers, at: context.clock.date()) ?? .zero)
  }
}

// MARK: - Exchanges

extension UploadLoad {
  private struct Exchanged {
    var result: Result<Response, any Error>
    /// Whether it was stopped because of a new limit.
    var wasStopped = false
  }

  /// What happens during a step, on the threads of the transport.
  private final class Progress: Sendable {
    struct State {
      var machine: UploadMachine
      /// Why nothing more of the step may be sent.
      var stop: LoadError?
      /// Whether the last byte was read.
      var hasReadAll = false
      /// Whether the step has ended: a transport may notice that later.
      var isOver = false
    }

    let state: Mutex<State>
    /// The end of the upload, until it is stored that the server may have everything.
    let end = DelayedEnd()

    init(_ machine: UploadMachine) { state = Mutex(State(machine: machine)) }

    /// Ends the step. Nothing is read or recorded afterwards.
    func finish() -> State {
      state.withLock { state in
        state.isOver = true
        return state
      }
    }
  }

  private func perform(
    _ step: UploadStep, _ machine: inout UploadMachine, _ recorder: UploadRecorder
  ) async -> Exchanged {
    let live = Progress(machine)
    let request = self.request(for: step, machine, live, recorder)
    let (strategy, clock) = (machine.strategy, context.clock)
    let interim: LoadContext.Interim = { head, url in
      guard let report = strategy.report(status: head.status, headers: head.headers) else { return }
      live.state.withLock { state in
        guard !state.isOver else { return }
        do throws(LoadError) {
          let goesOn = try state.machine.receive(
            interim: report, during: step, from: url, at: clock.date())
          if !goesOn { state.stop = state.stop ?? .newLimit }
        } catch { state.stop = state.stop ?? error }
        recorder.note(state.machine.record)
      }
    }
    let isFinal = step.range?.upperBound == body.length
    var result: Result<Response, any Error>
    do {
      let response = try await send(
        request, into: isFinal ? context.destination : nil, progress: progress(of: step),
        interim: interim)
      result = .success(response)
    } catch { result = .failure(error) }
    let state = live.finish()
    machine = state.machine
    if let range = step.range, !range.isEmpty, isFinal {
      machine.exposeEnd(!canDelayEnd || state.hasReadAll)
    }
    guard let failure = state.stop, case .failure = result else {
      return Exchanged(result: result)
    }
    guard failure.reason != LoadError.newLimit.reason else {
      return Exchanged(result: result, wasStopped: true)
    }
    result = .failure(failure)
    return Exchanged(result: result)
  }

  /// Returns the request of a step, which may be sent to another origin than that of the load.
  private func request(
    for step: UploadStep, _ machine: UploadMachine, _ live: Progress,
    _ recorder: UploadRecorder? = nil
  ) -> Request {
    var base = request
    switch step {
    case .create(let range):
      base.headers[.contentType] = base.headers[.contentType] ?? (mediaType ?? .data).rawValue
      if range.count < body.length { base.headers.removeDigestsOfContent() }
    default: base.headers.removeThoseOfContent()
    }
    var wanted = machine.strategy.request(for: step, of: machine.state, like: base)
    switch step {
    case .create: break
    default:
      if let url = machine.state.url {
        if !url.isSameOrigin(as: request.url) {
          let own = wanted.headers.filter { Self.isOfProtocol($0.name) }
          wanted.leaveOrigin()
          for field in own { wanted.headers[field.name] = field.value }
        }
        (wanted.address, wanted.query) = (.url(url), [:])
      }
      if machine.state.url != nil, step == .findOffset { wanted.headers[.contentType] = nil }
    }
    if let range = step.range, !range.isEmpty {
      var slice = body.slice(range)
      let files = machine.record.files
      let isFinal = range.upperBound == body.length
      let isDelayed = isFinal && options.journal != nil && !machine.record.mayBeComplete
      slice.source.check = { remaining, resume in
        try check(files)
        return try live.state.withLock { state in
          if let stop = state.stop { throw stop }
          guard !state.isOver else { throw CancellationError() }
          guard isFinal else { return true }
          if isDelayed, let recorder, let resume, remaining < UploadMachine.lastBytes {
            live.end.begin(storing: recorder) {
              state.machine.exposeEnd()
              return state.machine.record
            }
            guard try remaining > 0 || live.end.mayPass(resume) else { return false }
          }
          if remaining == 0 { state.hasReadAll = true }
          return true
        }
      }
      wanted.body = .pieces(slice, as: nil)
    }
    wanted.options.isIdempotent = step == .findOffset
    wanted.options.cachePolicy = .networkOnly
    return wanted
  }

  /// Whether a header belongs to the protocol and not to the origin of the load.
  private static func isOfProtocol(_ name: Headers.Name) -> Bool {
    let text = name.rawValue.lowercased()
    return ["upload-", "tus-", "content-", "x-upload-"].contains { text.hasPrefix($0) }
      || name == .reprDigest
  }

  private func send(
    _ request: Request, into destination: (any BodyDestination)? = nil,
    progress: ProgressReporter? = nil, interim: LoadContext.Interim? = nil
  ) async throws -> Response {
    let part = context.part(
      for: request, into: destination, progress: progress, interim: interim)
    do {
      let response = try await next.on(behalfOf: part)(request)
      part.complete(with: nil)
      if !response.status.isSuccess { context.adopt(part) }
      return response
    } catch {
      part.complete(with: error)
      context.adopt(part)
      throw error
    }
  }

  /// Reports what is sent in a step as a part of the whole.
  private func progress(of step: UploadStep) -> ProgressReporter? {
    guard let progress = context.progress else { return nil }
    guard let range = step.range else { return nil }
    return ProgressReporter { [total = body.length] report in
      guard report.direction == .upload else { return progress(report) }
      progress(.init(.upload, completed: range.lowerBound + report.completed, of: total))
    }
  }

  /// Has the server forget the upload, as far as it does within two seconds.
  private func cancel(_ machine: UploadMachine) async {
    guard machine.state.url != nil else { return }
    _ = try? await send(cancellation(of: machine))
  }

  /// Has the server forget the upload of an earlier load, unless that is complete: some servers
  /// would remove what it has stored.
  private func cancelEarlier() async throws -> Response {
    guard let earlier else { throw LoadError.unknownUpload }
    if earlier.record.mayBeComplete {
      let question = request(for: .findOffset, earlier, Progress(earlier))
      let response = try await send(question)
      let answer = earlier.strategy.answer(
        to: .findOffset, of: earlier.state, status: response.status, headers: response.headers)
      guard case .incomplete(let report) = answer, let offset = report.offset,
        offset < earlier.state.length
      else { return response }
    }
    return try await send(cancellation(of: earlier))
  }

  private func cancellation(of machine: UploadMachine) -> Request {
    var request = self.request(for: .cancel, machine, Progress(machine))
    request.options.attemptTimeout = .seconds(2)
    request.options.redirects = .never
    return request
  }
}

// MARK: - The source

extension UploadLoad {
  /// Returns whether a file isn't the one that was uploaded in part, and the upload is to begin
  /// anew.
  private func hasChanged(_ record: UploadRecord) async throws -> Bool {
    do {
      try check(record.files)
      if let digest = record.state.digest {
        guard try await self.digest(0..<body.length, .sha256) == digest else {
          throw LoadError.changedSource
        }
      }
      return false
    } catch let error as LoadError where error.isChangedSource {
      guard options.change == .beginsAnew else { throw error }
      return true
    }
  }

  /// Checks that the files are those with which the upload began.
  private func check(_ files: [FileStamp]) throws {
    guard body.fileStamps == files else { throw LoadError.changedSource }
  }

  /// Returns the hash of some of the bytes.
  private func digest(_ range: Range<Int>, _ algorithm: UploadDigest) async throws -> Data {
    let slice = body.slice(range)
    return try await PartsDownload.blocking {
      Result {
        var hash = UploadHash(algorithm)
        var reader = slice.makeReader()
        while let bytes = try reader.next(atMost: 1 << 18) { hash.update(bytes) }
        return hash.finish()
      }
    }.get()
  }
}

extension Headers {
  /// Removes what the request of the load says about the whole content and the resource, which isn't
  /// true of a part and of the upload: a server would decode a part by `Content-Encoding`, and
  /// answer a second request with one `Idempotency-Key` as it did the first.
  fileprivate mutating func removeThoseOfContent() {
    let names: [Headers.Name] = [
      .contentEncoding, "Content-Language", "Content-Location", .contentDisposition, .reprDigest,
      "Digest", .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .idempotencyKey,
    ]
    for name in names { self[name] = nil }
    removeDigestsOfContent()
  }

  /// Removes the caller's hashes of all bytes in a request, which a server would compare with those
  /// of a part (RFC 9530 section 2).
  fileprivate mutating func removeDigestsOfContent() {
    for name: Headers.Name in [.contentDigest, "Content-MD5"] { self[name] = nil }
  }
}

extension LoadError {
  static let changedSource = LoadError(
    .invalidRequest, "the file has changed since its upload began",
    advice: "Upload it anew, or let change be .beginsAnew")

  /// Whether the file of an upload isn't the one with which it began.
  var isChangedSource: Bool { reason == Self.changedSource.reason }

  fileprivate static let unknownUpload = LoadError(
    .invalidRequest, "there is no upload to cancel")

  fileprivate static let unclear = LoadError(
    .connection, "the server answers against the protocol of the upload")

  fileprivate static let newLimit = LoadError(
    .connection, "the server told a limit that the request exceeds")
}
