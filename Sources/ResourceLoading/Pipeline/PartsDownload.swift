import Dispatch
import Foundation
import ResourcePrimitives
import Synchronization

/// Loads the body of a request into a file in several parts, each of which is an exchange of its
/// own behind all middleware.
struct PartsDownload: Sendable {
  private let next: Next
  private let request: Request
  private let destination: FileDestination
  private let hostLimit: Int?

  /// - Parameters:
  ///   - next: The outermost stage, for the load.
  ///   - request: The complete request.
  ///   - destination: The destination of its body.
  ///   - hostLimit: The maximum number of requests to one host; `nil` for any number.
  init(_ next: Next, _ request: Request, _ destination: FileDestination, hostLimit: Int?) {
    self.next = next
    self.request = request
    self.destination = destination
    self.hostLimit = hostLimit
  }

  private var context: LoadContext { next.context }

  /// Whether a request can be sent for parts of its body.
  private var canHaveParts: Bool {
    request.method == .get && request.headers[.range] == nil
      && destination.accepted.contains(.partialContent)
  }

  /// Returns the response, without its body, which is in the file.
  func response() async throws -> Response {
    guard canHaveParts else { return try await next(request) }
    var hasChanged = false
    while true {
      do {
        return try await attempt()
      } catch PartFault.changed {
        guard !hasChanged else { throw LoadError.changedTwice }
        hasChanged = true
      } catch is PartFault {
        return try await next(request)
      }
    }
  }

  /// Loads what is missing of the file.
  private func attempt() async throws -> Response {
    try destination.check()
    let file = try PartsFile(
      destination, for: request.url, hostLimit: hostLimit,
      maximumSize: request.options.maximumBodySize, clock: context.clock,
      progress: context.progress)
    do {
      var response = try await load(file)
      // The whole body came at once, or an error.
      if file.isHandedOver { return response }
      guard response.status == .partialContent else {
        let refusal = LoadError(status: response)
        await Self.blocking { file.leave(after: refusal) }
        return response
      }
      try Task.checkCancellation()
      try await Self.blocking { Result { try file.complete() } }.get()
      response.file = destination.file
      response.resumedSize = file.resumedSize
      return response
    } catch {
      await Self.blocking { file.leave(after: error) }
      throw error
    }
  }
}

// MARK: - Parts

extension PartsDownload {
  /// The result of requesting a part.
  private struct Outcome: Sendable {
    var slot: Int
    var result: Result<Response, any Error>
    /// The address to which it was sent.
    var address = AddressChoice()
  }

  /// Loads parts until the file is complete.
  ///
  /// - Returns: The response to one of them, or the first that isn't accepted.
  private func load(_ file: PartsFile) async throws -> Response {
    var last: Response?
    var sources = Sources(count: 1 + destination.options.mirrors.count)
    if !file.hasContent {
      let first = await outcome(of: 0, in: file, with: request)
      guard file.hasContent else { return try first.result.get() }
      last = try end(first, in: file, mirror: 0).response
      sources.note(first.address, wasInterrupted: first.result.isInterruption)
    }
    return try await withThrowingTaskGroup(of: Outcome.self) { [sources] group in
      var sources = sources
      var pause = Duration.zero
      while true {
        while let part = file.plan({ $0.next(at: context.clock.now()) }) {
          let mirror = sources.source(of: part.slot)
          let request = request(for: part, from: mirror)
          let address = AddressChoice(avoiding: sources.slowAddresses)
          group.addTask { [pause] in
            if pause > .zero {
              do { try await context.clock.sleep(pause) } catch {
                return Outcome(slot: part.slot, result: .failure(error))
              }
            }
            return await outcome(
              of: part.slot, in: file, with: request, mirror: mirror, at: address)
          }
        }
        guard let outcome = try await group.next() else { break }
        let mirror = sources.source(of: outcome.slot)
        let ended = try end(outcome, in: file, mirror: mirror)
        sources.note(outcome.address, wasInterrupted: outcome.result.isInterruption)
        switch ended {
        case .arrived(let response): last = response
        case .refused(let response): return response
        case .failed(let wait):
          pause = wait
          sources.leave(
            mirror, for: outcome.slot,
            isUseless: mirror > 0 && !outcome.result.isInterruption)
          continue
        }
        pause = .zero
      }
      guard file.plan({ $0.isComplete }), let last else {
        throw LoadError(.connection, "the server sent only parts of the content")
      }
      return last
    }
  }

  /// What becomes of the download after a part.
  private enum End {
    case arrived(Response)
    /// The status isn't accepted.
    case refused(Response)
    /// What is missing of the part is requested again, after a wait.
    case failed(Duration)

    var response: Response? {
      if case .arrived(let response) = self { response } else { nil }
    }
  }

  /// Ends a part.
  ///
  /// - Throws: An error that ends the download.
  private func end(_ outcome: Outcome, in file: PartsFile, mirror: Int) throws -> End {
    let now = context.clock.now()
    switch outcome.result {
    case .success(let response) where response.status == .partialContent:
      file.plan { $0.end(outcome.slot, at: now) }
      return .arrived(response)
    case .success(let response):
      let isTransient = Status.transient.contains(response.status)
      guard isTransient || mirror > 0,
        let wait = file.plan({ $0.fail(outcome.slot, at: now) })
      else { return .refused(response) }
      return .failed(wait)
    case .failure(let error):
      guard mayPass(error, mirror), let wait = file.plan({ $0.fail(outcome.slot, at: now) }) else {
        throw error
      }
      return .failed(wait)
    }
  }

  /// Whether another request, or one to another URL, may bring what is missing.
  private func mayPass(_ error: any Error, _ mirror: Int) -> Bool {
    if let fault = error as? PartFault { return fault == .mirror }
    guard let kind = (error as? LoadError)?.kind else { return false }
    return mirror > 0 ? kind != .file : [.connection, .timedOut, .digest].contains(kind)
  }

  /// Requests a part.
  private func outcome(
    of slot: Int, in file: PartsFile, with request: Request, mirror: Int = 0,
    at address: AddressChoice = AddressChoice()
  ) async -> Outcome {
    let part = context.part(
      for: request, into: PartDestination(file, slot: slot, mirror: mirror, address))
    do {
      let response = try await next.on(behalfOf: part)(request)
      part.complete(with: nil)
      return Outcome(slot: slot, result: .success(response), address: address)
    } catch {
      part.complete(with: error)
      context.adopt(part)
      return Outcome(slot: slot, result: .failure(error), address: address)
    }
  }

  /// Returns the request for a part: one that is slower than can be expected is cut off, so that
  /// another connection takes its place.
  private func request(for part: PartsPlan.Part, from mirror: Int) -> Request {
    var request = request
    if mirror > 0 {
      let url = destination.options.mirrors[mirror - 1]
      if !url.isSameOrigin(as: request.url) { request.leaveOrigin() }
      request.address = .url(url)
      request.query = [:]
    }
    if part.hasTime { return request }
    if let idle = request.options.idleTimeout { request.options.idleTimeout = idle / 4 }
    if let rate = part.expectedRate, rate.isFinite {
      let least = Int(min(rate / 10 * Self.patience.seconds, Double(1 << 40)))
      request.options.minimumThroughput = Request.Throughput(bytes: least, per: Self.patience)
    }
    return request
  }

  /// The span in which a part has to bring at least a tenth of what can be expected.
  private static let patience = Duration.seconds(5)

  /// Runs what may wait for the disk, on a thread of its own.
  static func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "ResourceLoading.PartsDownload").async {
        continuation.resume(returning: body())
      }
    }
  }
}

/// Which connection loads from the URL of the load, and which from which mirror, and the addresses
/// that none is to use.
private struct Sources {
  private let count: Int
  private var sources: [Int: Int] = [:]
  private var useless: Set<Int> = []
  /// The addresses of hosts at which parts were interrupted.
  private(set) var slowAddresses: Set<[UInt8]> = []

  /// - Parameter count: The number of URLs.
  init(count: Int) { self.count = count }

  /// The number of the mirror of a connection; 0 for the URL of the load.
  func source(of slot: Int) -> Int { sources[slot] ?? 0 }

  /// Takes the next URL for a connection.
  ///
  /// - Parameter isUseless: Whether the URL isn't to be used again by any connection.
  mutating func leave(_ source: Int, for slot: Int, isUseless: Bool) {
    if isUseless {
      useless.insert(source)
      for (other, used) in sources where used == source { sources[other] = 0 }
    }
    let others = (1...count).map { (source + $0) % count }
    sources[slot] = others.first { !useless.contains($0) } ?? 0
  }

  /// Takes in what became of a part at an address.
  mutating func note(_ choice: AddressChoice, wasInterrupted: Bool) {
    // The host has no other, so each gets another chance.
    if choice.hasNoOther { slowAddresses = [] }
    if wasInterrupted, let address = choice.last { slowAddresses.insert(address) }
  }
}

extension Result {
  /// Whether the connection failed or was too slow.
  fileprivate var isInterruption: Bool {
    guard case .failure(let error as LoadError) = self else { return false }
    return [.connection, .timedOut].contains(error.kind)
  }
}

extension LoadError {
  fileprivate static let changedTwice = LoadError(
    .connection, "the content changed twice while it was downloaded",
    advice: "Load it when the server has stopped replacing it")
}

// MARK: - What is there

/// Whether a task was cancelled, for a thread that works for it.
private final class Cancellation: Sendable {
  private let isSet = Mutex(false)

  var value: Bool { isSet.withLock(\.self) }

  func set() { isSet.withLock { $0 = true } }
}

extension FileDestination {
  /// Whether the file is there already, with the digest or else the size that the caller names.
  func isWhole() async throws -> Bool {
    guard options.digest != nil || options.size != nil else { return false }
    try check()
    let isCancelled = Cancellation()
    let isWhole: Bool = await withTaskCancellationHandler {
      await PartsDownload.blocking { self.isWhole { isCancelled.value } }
    } onCancel: {
      isCancelled.set()
    }
    try Task.checkCancellation()
    return isWhole
  }
}
