import Foundation
import ResourcePrimitives

/// The second of the two steps of a load: sends a request over a transport, follows redirects,
/// stores cookies, and enforces the limits of time and size.
struct ExchangeRunner: Sendable {
  var transport: any Transport
  /// The encoder of bodies without one of their own.
  var encoder = JSONEncoder.plain
  /// The decoder of parsers without one of their own; `nil` for a plain one.
  var decoder: JSONDecoder?
  /// The reader of bodies that aren't accepted, for resources without one of their own.
  var errorBody: ErrorBody?
  var cookies: CookieJar?
  /// The hosts that are contacted only by https.
  var strictTransportSecurity: StrictTransportSecurity?
  /// Signs each request, as its last change.
  var sign: (@Sendable (inout WireRequest.Draft, WireRequest.Hop) async throws -> Void)?
  /// Whether requests to other origins than the client's are signed as well.
  var signsOtherOrigins = false
  /// The base URL of the client, whose origin gets signatures; `nil` for the URL of the first
  /// request.
  var baseURL: URL?
  /// The memory limit of all loads together.
  var memory: MemoryBudget?
  /// Follows each exchange.
  var observer: (any ExchangeObserver)?
}

extension ExchangeRunner {
  /// Returns the whole response, with any status.
  func respond(to request: Request, in context: LoadContext) async throws -> Response {
    try context.checkEnd()
    guard request.options.cachePolicy != .cacheOnly else { throw LoadError.notCached }
    let limits = ExchangeLimits(of: request.options, over: transport, in: context)
    var wire = try await prepare(request, in: context)
    var rules = RedirectRules(
      request.options, origin: wire.url, hasLeftHome: request.hasLeftOrigin,
      opensSocket: context.destination?.switchesProtocols ?? false,
      upgrading: strictTransportSecurity, clock: context.clock)
    var provenance = Provenance(start: context.clock.now())
    while true {
      let exchanged = try await exchange(wire, for: request, limits, rules, in: context)
      provenance.identities.append(exchanged.identity)
      guard let next = try await next(after: wire, exchanged, limits, rules) else {
        return response(to: wire, exchanged, requested: rules.hop.origin, provenance)
      }
      provenance.redirects.append(exchanged.response.head)
      rules.follow(to: next.url, from: baseURL)
      wire = next
    }
  }

  /// Returns the request for the wire without cookies and signature. It uses https if its host is
  /// strict.
  private func prepare(_ request: Request, in context: LoadContext) async throws -> WireRequest {
    // A stream is stored first.
    let spool = request.body?.isStream == true ? try await request.body?.spool() : nil
    let wire = try WireRequest(request, encoder: encoder, spool: spool)
    guard let strictTransportSecurity else { return wire }
    if strictTransportSecurity.isUnread {
      await strictTransportSecurity.read()
      try context.checkEnd()
    }
    var draft = wire.draft
    draft.url = strictTransportSecurity.upgraded(draft.url, at: context.clock.date())
    return try WireRequest(draft)
  }

  private func response(
    to request: WireRequest, _ exchanged: Exchanged, requested: URL, _ provenance: Provenance
  ) -> Response {
    var response = Response(
      url: request.url, method: request.method, status: exchanged.response.head.status,
      headers: exchanged.response.head.headers, body: exchanged.response.body)
    response.details = Response.Details(
      decoder: decoder, requested: requested, provenance: provenance,
      trailers: exchanged.response.trailers)
    exchanged.sink?.complete(&response)
    return response
  }
}

extension ExchangeRunner {
  private struct Exchanged {
    var response: AccumulatedResponse
    var identity: RequestIdentity
    /// The sink of the body; `nil` for memory.
    var sink: (any BodySink)?
    var exchange: any Exchange
  }

  /// Performs one exchange, and a second one if the stored part of the body doesn't match the
  /// response.
  private func exchange(
    _ wire: WireRequest, for original: Request, _ limits: ExchangeLimits, _ rules: RedirectRules,
    in context: LoadContext
  ) async throws -> Exchanged {
    var isRestarted = false
    while true {
      var draft = wire.draft
      let sink = try context.destination?.open(for: &draft, in: context)
      let follower = observe(&draft, for: original, rules, in: context)
      do {
        let request = try await finished(draft, from: wire, limits, rules, in: context)
        let identity = identity(of: request, signedFrom: wire, for: original, rules)
        let accumulator = begin(request, identity, limits, rules, sink, follower, in: context)
        let (response, exchange) = try await accumulator.response {
          transport.start(request, receiver: accumulator)
        }
        end(.success(response.head), sink, follower, in: context)
        context.report(.completed(response.head.status, bytes: response.size))
        return Exchanged(response: response, identity: identity, sink: sink, exchange: exchange)
      } catch {
        end(.failure(error), sink, follower, in: context)
        guard error is RestartTransfer else { throw error }
        guard !isRestarted else { throw LoadError.restartedTwice }
        isRestarted = true
      }
    }
  }

  @inline(never)
  private func end(
    _ outcome: Result<ResponseHead, any Error>, _ sink: (any BodySink)?,
    _ follower: (any ExchangeFollower)?, in context: LoadContext
  ) {
    // This has no effect on a complete file. Otherwise the response wasn't the one for the file.
    sink?.abandon()
    context.note { $0.end(outcome) }
    follower?.ended(outcome.mapError { context.cause(of: $0) })
  }

  /// Reports a request to the observer before it is sent. The observer may add headers.
  @inline(never)
  private func observe(
    _ draft: inout WireRequest.Draft, for original: Request, _ rules: RedirectRules,
    in context: LoadContext
  ) -> (any ExchangeFollower)? {
    guard let observer else { return nil }
    let exchange = ObservedExchange(
      method: draft.method, url: draft.url, number: context.exchangeCount,
      baseURL: baseURL.map {
        strictTransportSecurity?.upgraded($0, at: context.clock.date()) ?? $0
      },
      template: rules.hop.redirects == 0 ? original.template : .unknown,
      secretNames: original.options.secretNames, headers: original.headers, clock: context.clock)
    return observer.begin(exchange, &draft.headers)
  }

  /// Returns the identity of a request that is about to be sent. Nothing else creates it.
  private func identity(
    of request: WireRequest, signedFrom wire: WireRequest, for original: Request,
    _ rules: RedirectRules
  ) -> RequestIdentity {
    RequestIdentity(
      sending: request, to: rules.hop.redirects == 0 ? original.url : wire.url,
      signed: sign != nil && request.url != wire.url,
      connection: transport.identity(for: request.url), secretNames: original.options.secretNames,
      redirects: rules.hop.redirects)
  }

  @inline(never)
  private func begin(
    _ request: WireRequest, _ identity: RequestIdentity, _ limits: ExchangeLimits,
    _ rules: RedirectRules, _ sink: (any BodySink)?, _ follower: (any ExchangeFollower)?,
    in context: LoadContext
  ) -> ResponseAccumulator {
    context.note { $0.begin(request, identity) }
    context.report(.sent(method: request.method, url: request.url))
    let interim: (@Sendable (ResponseHead) -> Void)? = context.interim.map { report in
      { @Sendable [url = request.url] head in report(head, url) }
    }
    let observer = ResponseAccumulator.Observer(
      head: { [cookies, strictTransportSecurity, url = request.url] head in
        cookies?.store(
          head.headers, from: url, at: context.clock.date(), since: context.cookieRemovals)
        strictTransportSecurity?.note(head.headers, from: url, at: context.clock.date())
        follower?.received(head)
        context.report(.received(head.status))
      },
      interim: interim,
      isRedirect: { rules.decision(after: request.draft, $0) != .stop },
      progress: context.progress,
      metrics: context.isObserved || follower != nil
        ? { @Sendable metrics in
          follower?.measured(metrics)
          context.report(.measured(metrics))
        } : nil)
    return ResponseAccumulator(limits: limits, sink: sink, observer: observer)
  }

  /// Returns a request with its cookies and its signature, and checks it again if it has changed.
  private func finished(
    _ draft: WireRequest.Draft, from wire: WireRequest, _ limits: ExchangeLimits,
    _ rules: RedirectRules, in context: LoadContext
  ) async throws -> WireRequest {
    var request = wire
    if cookies != nil || sign != nil || context.destination != nil {
      var draft = draft
      if let cookies, draft.headers[.cookie] == nil {
        draft.headers[.cookie] = cookies.header(
          for: draft.url, at: context.clock.date(), since: context.cookieRemovals)
      }
      if let sign, signsOtherOrigins || rules.isHome(draft.url, baseURL) {
        try await sign(&draft, rules.hop)
      }
      request = try WireRequest(draft)
    } else if observer != nil {
      request = try wire.replacing(draft.headers)
    }
    request.maximumBodySize = limits.maximumBodySize
    return request
  }

  /// Returns the request that a redirect leads to, or `nil` if the response is final.
  private func next(
    after request: WireRequest, _ exchanged: Exchanged, _ limits: ExchangeLimits,
    _ rules: RedirectRules
  ) async throws -> WireRequest? {
    switch rules.decision(after: request.draft, exchanged.response.head) {
    case .stop: return nil
    case .refuse(let reason, let advice): throw LoadError(.redirect, reason, advice: advice)
    case .follow(let draft):
      let next = try WireRequest(draft)
      // The delegate of the app's own URLSession may change the request or decline.
      if let next = try await exchanged.exchange.approve(next) { return next }
      // It declined, so the response is final and its size counts.
      if let limit = limits.maximumBodySize, exchanged.response.size > limit,
        limits.accepted.contains(exchanged.response.head.status)
      {
        throw LoadError(over: limit)
      }
      return nil
    }
  }
}

extension LoadError {
  fileprivate static let restartedTwice = LoadError(
    .connection, "the server sent another part of the content than the request named")
}

extension JSONEncoder {
  /// The encoder with default settings. Nothing changes it.
  static let plain = JSONEncoder()
}
