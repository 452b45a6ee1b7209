/// All the stages between a loader and the wire.
///
/// A class, for it is handed from stage to stage: copying all that is in it would cost more than the stages.
final class Chain: Sendable {
  /// What completes requests; `nil` where they are complete.
  let completer: Completer?
  let middleware: [any Middleware]
  let sender: Sender
  /// What goes on behind the loads; `nil` where nothing may.
  let background: BackgroundWork?
  /// Whether a middleware is among them that may wait for what nothing here can end.
  private let hasOthers: Bool

  init(
    completer: Completer? = nil, middleware: [any Middleware] = [], sender: Sender,
    background: BackgroundWork? = nil
  ) {
    self.completer = completer
    self.middleware = middleware
    self.sender = sender
    self.background = background
    hasOthers = !middleware.allSatisfy { $0 is any EndableMiddleware }
  }
}

extension Chain {
  /// Whether a load waits for nothing that others wrote: none of their middleware, no signature, no stream. What
  /// it waits for can be ended then without cancelling the task that waits.
  func isWithoutOthers(for request: Request) -> Bool {
    !hasOthers && sender.sign == nil && sender.strictTransportSecurity == nil
      && request.body?.isStream != true
  }

  /// The response to a complete request.
  func respond(to request: Request, in context: LoadContext) async throws -> Response {
    guard !middleware.isEmpty else { return try await sender.respond(to: request, in: context) }
    return try await Next(self, context: context)(request)
  }
}
