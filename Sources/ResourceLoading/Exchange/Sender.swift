import Foundation

/// The innermost stage: sends a request over a transport, follows redirects, and keeps time and size.
struct Sender: Sendable {
  var transport: any Transport
  /// What encodes bodies that don't name an encoder.
  var encoder = JSONEncoder.plain
  /// What parsers decode with that don't name a decoder; `nil` for a plain one.
  var decoder: JSONDecoder?
  /// What keeps and sends cookies.
  var cookies: CookieJar?
  /// What knows the hosts that are asked by https only.
  var strictTransportSecurity: StrictTransportSecurity?
  /// Changes each request last of all.
  var sign: (@Sendable (inout WireRequest.Draft, WireRequest.Hop) async throws -> Void)?
  /// Whether it does so for other origins than the client's as well.
  var signsOtherOrigins = false
  /// Where the client is at home; `nil` for where a load begins.
  var home: URL?
  /// Bounds what all loads keep in memory.
  var memory: MemoryBudget?
}

extension Sender {
  /// The whole response, whatever its status.
  ///
  /// - Throws: `LoadError` if there is none, `CancellationError` if the calling task is cancelled.
  func respond(to request: Request, in context: LoadContext) async throws -> Response {
    try Task.checkCancellation()
    guard request.options.cachePolicy != .cacheOnly else { throw LoadError.notCached }
    let spool = try await request.body?.spool()
    let limits = limits(of: request.options, in: context)
    var wire = try await upgraded(
      WireRequest(request, encoder: encoder, spool: spool), context)
    let requested = wire.url
    var passage: Provenance?
    while true {
      let redirects = Redirects(
        request.options,
        hop: WireRequest.Hop(redirects: passage?.redirects.count ?? 0, origin: requested),
        upgrading: { [strictTransportSecurity, clock = context.clock] url in
          strictTransportSecurity?.upgraded(url, at: clock.date()) ?? url
        })
      let (collected, sink, sent) = try await send(wire, for: request, limits, redirects, context)
      var way = passage ?? Provenance(headers: sent)
      guard let next = try await next(after: wire, collected, redirects, limits) else {
        let tools = Response.Tools(decoder: decoder, requested: requested, passage: way)
        return response(to: wire, collected, sink, tools)
      }
      wire = next
      way.redirects.append(collected.head)
      passage = way
    }
  }

  private func response(
    to request: WireRequest, _ collected: CollectedResponse, _ sink: (any BodySink)?,
    _ tools: Response.Tools
  ) -> Response {
    var response = Response(
      url: request.url, method: request.method, status: collected.head.status,
      headers: collected.head.headers, body: collected.body)
    response.tools = tools
    sink?.complete(&response)
    return response
  }

  /// The load's own deadline or the attempt's, whichever comes first.
  private func limits(
    of options: Request.Options, in context: LoadContext
  ) -> ExchangeLimits {
    var limits = ExchangeLimits(
      deadline: context.exchangeDeadline,
      duration: options.timeout ?? ExchangeLimits.defaultTimeout,
      clock: context.clock, accepted: options.acceptedStatuses ?? .successful)
    if let size = options.maximumHeaderSize { limits.maximumHeaderSize = size }
    limits.load = context
    if transport.deliversIncrementally {
      limits.idle = options.idleTimeout
      if !(context.destination?.holdsBack ?? false) {
        limits.throughput = options.minimumThroughput
      }
    }
    if context.destination != nil || options.maximumBodySize != nil {
      limits.maximumBodySize = options.maximumBodySize
    }
    if let attempt = options.attemptTimeout {
      let end = context.clock.now() + attempt
      if limits.deadline.map({ end < $0 }) ?? true {
        (limits.deadline, limits.duration) = (end, attempt)
      }
    }
    return limits
  }
}

extension Sender {
  /// Makes one exchange; a second one if what there was of the body turns out not to fit.
  private func send(
    _ wire: WireRequest, for request: Request, _ limits: ExchangeLimits, _ redirects: Redirects,
    _ context: LoadContext
  ) async throws -> (CollectedResponse, (any BodySink)?, sent: Headers) {
    var restarts = 0
    while true {
      var draft = wire.draft
      let sink = context.isDryRun ? nil : try context.destination?.open(for: &draft)
      do {
        var ready = try await finished(draft, from: wire, redirects, context)
        guard !context.isDryRun else { throw CapturedRequest(request: request, sent: ready) }
        ready.maximumBodySize = limits.maximumBodySize
        let collected = try await exchange(ready, limits, redirects, sink, context)
        // Without effect if it is whole; else the body wasn't the one that was asked for.
        sink?.abandon()
        return (collected, sink, ready.headers)
      } catch is RestartTransfer where restarts == 0 {
        restarts += 1
      } catch {
        sink?.abandon()
        throw error is RestartTransfer ? LoadError.restartedTwice : error
      }
    }
  }

  private func exchange(
    _ request: WireRequest, _ limits: ExchangeLimits, _ redirects: Redirects,
    _ sink: (any BodySink)?, _ context: LoadContext
  ) async throws -> CollectedResponse {
    context.note { $0.begin(request) }
    context.report(.sent(method: request.method, url: request.url))
    do {
      let observer = Collector.Observer(
        head: { [cookies, strictTransportSecurity] head in
          cookies?.store(head.headers, from: request.url, at: context.clock.date())
          strictTransportSecurity?.note(head.headers, from: request.url, at: context.clock.date())
          context.report(.received(head.status))
        },
        isPassedOver: { redirects.decision(after: request, $0) != .stop },
        progress: context.progress,
        metrics: context.isObserved
          ? { @Sendable (metrics: ExchangeMetrics) in context.report(.measured(metrics)) } : nil)
      let collector = Collector(limits: limits, sink: sink, observer: observer)
      let collected = try await context.waiting(
        until: { collector.cancel() },
        for: { try await collector.response { transport.start(request, receiver: collector) } })
      context.note { $0.end(.success(collected.head.status)) }
      context.report(.completed(collected.head.status, bytes: collected.size))
      return collected
    } catch {
      context.note { $0.end(.failure(error)) }
      throw error
    }
  }

  private func next(
    after request: WireRequest, _ collected: CollectedResponse, _ redirects: Redirects,
    _ limits: ExchangeLimits
  ) async throws -> WireRequest? {
    switch redirects.decision(after: request, collected.head) {
    case .stop: return nil
    case .refuse(let reason, let advice): throw LoadError(.redirect, reason, advice: advice)
    case .follow(let draft):
      let next = try WireRequest(draft)
      guard let approval = collected.approval else { return next }
      if let next = try await approval(next) { return next }
      // So it is the answer, whose size counts.
      if let limit = limits.maximumBodySize, collected.size > limit,
        limits.accepted.contains(collected.head.status)
      {
        throw LoadError(over: limit)
      }
      return nil
    }
  }
}

// MARK: - The last changes

extension Sender {
  /// A request by https if its host wants that.
  private func upgraded(
    _ wire: WireRequest, _ context: LoadContext
  ) async throws -> WireRequest {
    guard let strictTransportSecurity else { return wire }
    await strictTransportSecurity.prepare()
    var draft = wire.draft
    draft.url = strictTransportSecurity.upgraded(draft.url, at: context.clock.date())
    return try WireRequest(draft)
  }

  /// A request with its cookies and its signature, checked once more if there is anything new in it.
  private func finished(
    _ draft: WireRequest.Draft, from wire: WireRequest, _ redirects: Redirects,
    _ context: LoadContext
  ) async throws -> WireRequest {
    guard cookies != nil || sign != nil || context.destination != nil else { return wire }
    var draft = draft
    if let cookies, draft.headers[.cookie] == nil {
      draft.headers[.cookie] = cookies.header(for: draft.url, at: context.clock.date())
    }
    if let sign, signsOtherOrigins || isSameOrigin(draft.url, redirects) {
      try await sign(&draft, redirects.hop)
    }
    return try WireRequest(draft)
  }

  private func isSameOrigin(_ url: URL, _ redirects: Redirects) -> Bool {
    let home = home ?? redirects.hop.origin
    return url.isSameOrigin(as: home) || url.isSameOrigin(as: redirects.upgraded(home))
  }
}

/// What decides about the redirects of one load.
private struct Redirects: Sendable {
  /// How many were followed so far, and where the load began.
  let hop: WireRequest.Hop
  private let policy: Request.RedirectPolicy
  private let carried: Set<Headers.Name>?
  /// A URL by https if its host is asked by nothing else.
  let upgraded: @Sendable (URL) -> URL

  init(
    _ options: Request.Options, hop: WireRequest.Hop,
    upgrading upgraded: @escaping @Sendable (URL) -> URL
  ) {
    self.hop = hop
    self.upgraded = upgraded
    policy = options.redirects ?? .follow(limit: 20)
    carried = options.crossOriginHeaders
  }

  func decision(after request: WireRequest, _ head: ResponseHead) -> RedirectDecision {
    RedirectDecision(
      after: request.draft, head, count: hop.redirects, policy: policy, upgrading: upgraded,
      carrying: carried)
  }
}

extension LoadError {
  fileprivate static let restartedTwice = LoadError(
    .connection, "the server sent another part of the content than it was asked for")
}

extension JSONEncoder {
  /// One for all who don't want anything of it. It is never changed.
  static let plain = JSONEncoder()
}

/// Ends a dry run where it would have been sent.
struct CapturedRequest: Error {
  var request: Request
  var sent: WireRequest
}
