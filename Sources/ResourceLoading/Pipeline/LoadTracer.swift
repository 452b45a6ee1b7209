/// Records the loads of a client and their exchanges as a trace: a span for each load, and below it
/// one for each exchange.
///
/// The module `ResourceTracing` has one, `SpanTracer`.
public protocol LoadTracer: ExchangeObserver {
  /// Sends the request of a load on as a part of a trace. It runs outside of all middleware, so
  /// that it sees what these do, and the answers of a cache.
  ///
  /// - Parameters:
  ///   - request: The complete request.
  ///   - next: The first middleware.
  /// - Returns: The response of `next`.
  /// - Throws: What `next` throws.
  func trace(_ request: Request, next: Next) async throws -> Response
}

/// Stands for a tracer before the middleware.
struct TracerStage: PredictableMiddleware {
  let tracer: any LoadTracer

  func respond(to request: Request, next: Next) async throws -> Response {
    try await tracer.trace(request, next: next)
  }
}
