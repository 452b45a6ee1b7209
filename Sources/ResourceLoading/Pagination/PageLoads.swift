import Foundation
import ResourcePrimitives
import Synchronization

/// Loads the pages of one iteration, one after another.
final class PageLoads<R: Sendable>: Sendable {
  private typealias Load = Task<Page<R>, any Error>

  private let pages: Pages<R>
  private let state: Mutex<State>

  private struct State: Sendable {
    var step: Step
    var way: PageGuard
    /// The number of pages that may still be loaded.
    var remaining: Int
  }

  /// The task of the next call.
  private enum Step: Sendable {
    case load(Request)
    case wait(Load)
    case fail(any Error)
    case end
  }

  init(_ pages: Pages<R>) {
    self.pages = pages
    let limit = pages.options.maximumPages ?? .max
    state = Mutex(
      State(
        step: limit > 0 ? .load(pages.pagination.first(pages.resource.request)) : .end,
        way: PageGuard(allowsOtherOrigins: pages.options.allowsOtherOrigins), remaining: limit))
  }

  deinit { cancel() }

  func next() async throws -> Page<R>? {
    let load: Load
    switch takeStep() {
    case .load(let request): load = start(request)
    case .wait(let running): load = running
    case .fail(let error): throw error
    case .end: return nil
    }
    let page = try await withTaskCancellationHandler {
      try await load.value
    } onCancel: {
      load.cancel()
    }
    try Task.checkCancellation()
    let step = step(after: page)
    state.withLock { $0.step = step }
    return page
  }

  /// Whether the pages returned so far are all there are.
  var isAtEnd: Bool {
    state.withLock { if case .end = $0.step { true } else { false } }
  }

  /// Cancels a load that was begun ahead.
  private func cancel() {
    if case .wait(let load) = takeStep() { load.cancel() }
  }
}

extension PageLoads {
  /// Takes the step and leaves the end in its place, for the case of a failure.
  private func takeStep() -> Step {
    state.withLock { state in
      defer { state.step = .end }
      return state.step
    }
  }

  private func step(after page: Page<R>) -> Step {
    let remaining = state.withLock { state in
      state.remaining -= 1
      return state.remaining
    }
    guard remaining > 0 else { return .end }
    do {
      guard let next = try pages.pagination.next(page) else { return .end }
      let request = try state.withLock { try $0.way.check(next, after: page) }
      return pages.options.readsAhead ? .wait(start(request)) : .load(request)
    } catch {
      return .fail(
        error as? LoadError
          ?? LoadError(.paging, "finding the next page failed: \(error)", underlying: error))
    }
  }

  private func start(_ request: Request) -> Load {
    let head = ResponseHolder()
    let first = pages.resource
    let page = first.derived(sending: request, parsing: first.parsing) { response in
      head.keep(response)
      return try first.parser(response)
    }
    return Task(executorPreference: SimulatedExecution.executor) { [load = pages.load] in
      Page(value: try await load(page), request: request, response: head.response)
    }
  }
}

/// The response that a parser saw, without its body.
private final class ResponseHolder: Sendable {
  private let held = Mutex<Response?>(nil)

  var response: Response? { held.withLock { $0 } }

  func keep(_ response: Response) {
    var head = response
    head.body = Data()
    held.withLock { [head] in $0 = head }
  }
}

/// Checks the requests of the pages: no page is loaded twice, and a page is at another origin only
/// if the options allow it.
struct PageGuard: Sendable {
  private let allowsOtherOrigins: Bool
  private var seen: Set<Request> = []

  init(allowsOtherOrigins: Bool) { self.allowsOtherOrigins = allowsOtherOrigins }

  /// Returns the request of the next page with only what may be sent to it.
  mutating func check<R>(_ next: Request, after page: Page<R>) throws -> Request {
    let home = page.response?.details.requested ?? page.response?.url ?? page.request.url
    let isHere = next.isSameOrigin(as: home)
    let next = next.changed { $0.hasLeftOrigin = page.request.hasLeftOrigin || !isHere }
    seen.formUnion([page.request, page.request.redirected(to: home)])
    guard !seen.contains(next) else {
      throw Self.failure(
        "the next page was already loaded", next,
        advice:
          "Set a limit of pages, and report the loop to the developers of the server")
    }
    guard case .url(let url) = next.address, !isHere else { return next }
    return try checked(next, to: url, from: home, page.response?.details.crossOriginHeaders ?? [])
  }

  /// - Parameter carried: The headers that the client sends to another origin, too.
  private func checked(
    _ next: Request, to url: URL, from home: URL, _ carried: Set<Headers.Name>
  ) throws -> Request {
    guard allowsOtherOrigins else {
      throw Self.failure(
        "the next page is at another origin, \(url.host() ?? "without a host")", next,
        advice: "Set allowsOtherOrigins if you trust the server")
    }
    guard !home.isSecure || url.isSecure else {
      throw Self.failure("the next page isn't at https, unlike this one", next, advice: nil)
    }
    return next.changed {
      $0.headers.leaveOrigin(with: carried.union($0.options.crossOriginHeaders ?? []))
    }
  }

  private static func failure(_ reason: String, _ next: Request, advice: String?) -> LoadError {
    var error = LoadError(.paging, reason, advice: advice)
    error.curlCommand = next.curlCommand
    return error
  }
}

extension Request {
  /// Whether it goes to the origin of a page, as a path does.
  fileprivate func isSameOrigin(as page: URL) -> Bool {
    guard case .url(let url) = address, page.scheme != nil else { return true }
    return url.isSameOrigin(as: page)
  }
}
