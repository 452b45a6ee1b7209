/// All the stages between a loader and the wire.
struct Chain: Sendable {
  var completer = Completer()
  var middleware: [any Middleware] = []
  var sender: Sender
  /// What tells one client's chain from another's.
  var identity: Identity?
  /// What goes on behind the loads; `nil` where nothing may.
  var background: BackgroundWork?

  /// Whether a middleware is among them that may wait for what nothing here can end.
  var hasOthers = false

  final class Identity: Sendable {}
}

extension Chain {
  /// Whether a load waits for nothing that others wrote: none of their middleware, no signature, no stream. What
  /// it waits for can be ended then without cancelling the task that waits.
  func isWithoutOthers(for request: Request) -> Bool {
    !hasOthers && sender.sign == nil && request.body?.isStream != true
  }

  /// The response to a complete request.
  func respond(to request: Request, in context: LoadContext) async throws -> Response {
    guard !middleware.isEmpty else { return try await sender.respond(to: request, in: context) }
    return try await Next(self, context: context)(request)
  }
}
