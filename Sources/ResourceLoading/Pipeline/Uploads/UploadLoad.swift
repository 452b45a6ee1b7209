import Dispatch
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
  private let mediaType: MediaType?
  private let isCareful: Bool
  /// Whether the transport copies what it sends unless it is a whole file.
  private let copiesSlices: Bool

  /// - Parameters:
  ///   - next: The outermost stage, for the load.
  ///   - request: The complete request.
  ///   - body: Its body.
  ///   - isCareful: Whether interim responses don't arrive.
  init(_ next: Next, _ request: Request, _ body: WireBody, isCareful: Bool) {
    self.next = next
    self.body = body
    options = request.upload ?? UploadOptions()
    mediaType = request.body?.mediaType
    var request = request
    (request.body, request.upload) = (nil, nil)
    self.request = request
    self.isCareful = isCareful || options.journal != nil
    copiesSlices = isCareful
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
  func response() async throws -> Response {
    let recorder = UploadRecorder(options.journal?.save)
    var (machine, isResumed) = try await begin(recorder)
    if isResumed, try await hasChanged(machine.record) {
      await cancel(machine)
      (machine, _) = try await begin(recorder, anew: true)
    }
    do {
      // A journal keeps the record until it has stored the response.
      let response = try await run(&machine, recorder)
      await recorder.flush()
      return response
    } catch {
      recorder.note(machine.record)
      await recorder.flush()
      if options.journal == nil, !Task.isCancelled { await cancel(machine) }
      throw error
    }
  }

  private func begin(
    _ recorder: UploadRecorder, anew: Bool = false
  ) async throws -> (UploadMachine, isResumed: Bool) {
    let rules = UploadMachine.Rules(
      mayRepeat: mayRepeat, isCareful: isCareful,
      maximumRequestSize: copiesSlices && body.hasFiles ? Self.largestCopy : nil,
      maximumFailures: options.maximumFailures)
    if !anew, let record = options.journal?.record, record.state.url != nil,
      let strategy = options.resuming.strategy ?? options.journal?.strategies[record.strategy],
      strategy.name == record.strategy, record.state.length == body.length
    {
      return (UploadMachine(record, by: strategy, rules), true)
    }
    var state = UploadState(length: body.length)
    state.metadata = options.metadata
    if options.checksContent { state.digest = try await digest(0..<body.length, .sha256) }
    let strategy: any UploadStrategy
    if let chosen = options.resuming.strategy {
      strategy = chosen
    } else {
      // While only a question was sent, nothing of the upload can be lost.
      recorder.note(UploadRecord(strategy: options.resuming.name, state: state))
      await recorder.flush()
      strategy = try await discover(&state)
    }
    let record = UploadRecord(strategy: strategy.name, state: state, files: body.fileStamps)
    return (UploadMachine(record, by: strategy, rules), false)
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
    question.headers[.contentType] = nil
    question.headers.set(ResumableUploads.interopVersion, for: .uploadInteropVersion)
    question.options.isIdempotent = true
    question.options.cachePolicy = .networkOnly
    do { return .success(try await send(question)) } catch { return .failure(error) }
  }

  private func strategy(
    after answer: Response, _ state: inout UploadState
  ) -> any UploadStrategy {
    guard answer.status.isSuccess else { return ResumableUploads(isKnown: false) }
    if let tus = TusUploads(options: answer.headers) {
      state.limits.maximumSize = tus.maximumSize
      return tus
    }
    let types = answer.headers.values(of: "Accept-Patch").joined(separator: ",").lowercased()
    guard types.contains("application/partial-upload") else {
      return ResumableUploads(isKnown: false)
    }
    if let limits = UploadReport(upload: answer.headers).limits { state.limits = limits }
    return ResumableUploads()
  }

  /// Runs steps until the upload is complete or can't go on.
  private func run(
    _ machine: inout UploadMachine, _ recorder: UploadRecorder
  ) async throws -> Response {
    var stored: Response?
    while true {
      let step = try machine.next()
      if let range = step.range, !range.isEmpty {
        if machine.failures > 0 || range.lowerBound > 0 { try check(machine.record.files) }
        let digest = options.checksContent ? machine.strategy.contentDigest : nil
        if let digest { machine.setDigest(try await self.digest(range, digest)) }
      }
      machine.begin(step)
      recorder.note(machine.record)
      await recorder.flush()
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
          return response
        }
        stored = response.status.isSuccess && step.range != nil ? response : nil
      case .failure(let error):
        guard exchanged.wasStopped || mayPass(error) else { throw error }
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
    let machine: Mutex<UploadMachine>
    /// Why nothing more of the step may be sent.
    let stop = Mutex<LoadError?>(nil)
    /// Whether the last byte was read.
    let hasReadAll = Mutex(false)

    init(_ machine: UploadMachine) { self.machine = Mutex(machine) }
  }

  private func perform(
    _ step: UploadStep, _ machine: inout UploadMachine, _ recorder: UploadRecorder
  ) async -> Exchanged {
    let live = Progress(machine)
    let request = self.request(for: step, machine, live, recorder)
    let (strategy, clock) = (machine.strategy, context.clock)
    let interim: LoadContext.Interim = { head, url in
      guard let report = strategy.report(status: head.status, headers: head.headers) else { return }
      let failure: LoadError? = live.machine.withLock { machine in
        do throws(LoadError) {
          let goesOn = try machine.receive(
            interim: report, during: step, from: url, at: clock.date())
          return goesOn ? nil : .newLimit
        } catch { return error }
      }
      if let failure { live.stop.withLock { $0 = $0 ?? failure } }
      recorder.note(live.machine.withLock(\.record))
    }
    let isFinal = step.range?.upperBound == body.length
    var result: Result<Response, any Error>
    do {
      let response = try await send(
        request, into: isFinal ? context.destination : nil, progress: progress(of: step),
        interim: interim)
      result = .success(response)
    } catch { result = .failure(error) }
    machine = live.machine.withLock(\.self)
    if let range = step.range, !range.isEmpty, isFinal {
      machine.exposeEnd(copiesSlices || live.hasReadAll.withLock(\.self))
    }
    guard let failure = live.stop.withLock(\.self), case .failure = result else {
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
    if case .create = step, base.headers[.contentType] == nil {
      base.headers[.contentType] = (mediaType ?? .data).rawValue
    }
    var wanted = machine.strategy.request(for: step, of: machine.state, like: base)
    switch step {
    case .create: break
    default:
      if let url = machine.state.url {
        if !url.isSameOrigin(as: request.url) {
          let own = wanted.headers.filter { Self.isOfProtocol($0.name) }
          wanted.headers.leaveOrigin(with: wanted.options.crossOriginHeaders)
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
      slice.source.check = { remaining in
        if let failure = live.stop.withLock(\.self) { throw failure }
        try check(files)
        guard isFinal, remaining < UploadMachine.lastBytes else { return }
        if remaining == 0 { live.hasReadAll.withLock { $0 = true } }
        let news = live.machine.withLock { machine -> UploadRecord? in
          guard !machine.record.mayBeComplete else { return nil }
          machine.exposeEnd()
          return machine.record
        }
        if let news { recorder?.note(news) }
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
    var request = self.request(for: .cancel, machine, Progress(machine))
    request.options.attemptTimeout = .seconds(2)
    request.options.redirects = .never
    _ = try? await send(request)
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
    } catch let error as LoadError where error.reason == LoadError.changedSource.reason {
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

/// A hash by one of the algorithms.
private enum UploadHash {
  case sha1(RunningSHA1)
  case sha256(RunningDigest)

  init(_ algorithm: UploadDigest) {
    switch algorithm {
    case .sha1: self = .sha1(RunningSHA1())
    case .sha256: self = .sha256(RunningDigest(.sha256))
    }
  }

  mutating func update(_ bytes: Data) {
    switch self {
    case .sha1(var hash):
      hash.update(bytes)
      self = .sha1(hash)
    case .sha256(let hash): hash.update(bytes)
    }
  }

  func finish() -> Data {
    switch self {
    case .sha1(let hash): Data(hash.finish())
    case .sha256(let hash): Data(hash.finishBytes())
    }
  }
}

extension LoadError {
  static let changedSource = LoadError(
    .invalidRequest, "the file has changed since its upload began",
    advice: "Upload it anew, or let change be .beginsAnew")

  fileprivate static let unclear = LoadError(
    .connection, "the server answers against the protocol of the upload")

  fileprivate static let newLimit = LoadError(
    .connection, "the server told a limit that the request exceeds")
}

/// Has the records of an upload stored one after another, the last one in any case.
private final class UploadRecorder: Sendable {
  private let save: (@Sendable (UploadRecord?) async -> Void)?
  private let state = Mutex(State())

  private struct State {
    var stored: UploadRecord?
    /// What is to be stored; `nil` for nothing new.
    var waiting: UploadRecord??
    var task: Task<Void, Never>?
  }

  init(_ save: (@Sendable (UploadRecord?) async -> Void)?) { self.save = save }

  /// Has a record stored soon.
  func note(_ record: UploadRecord?) {
    guard let save else { return }
    state.withLock { state in
      guard record != state.stored || state.waiting != nil else { return }
      state.waiting = .some(record)
      guard state.task == nil else { return }
      state.task = Task {
        while let record = self.take() { await save(record) }
      }
    }
  }

  private func take() -> UploadRecord?? {
    state.withLock { state in
      guard let record = state.waiting else {
        state.task = nil
        return nil
      }
      (state.waiting, state.stored) = (nil, record)
      return .some(record)
    }
  }

  /// Waits until the last record is stored.
  func flush() async {
    while let task = state.withLock(\.task) { await task.value }
  }
}
