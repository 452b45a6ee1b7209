/// All the stages between a loader and the wire.
struct Chain: Sendable {
  var completer = Completer()
  var middleware: [any Middleware] = []
  var sender: Sender
  /// What tells one client's chain from another's.
  var identity: Identity?
  /// What goes on behind the loads; `nil` where nothing may.
  var background: BackgroundWork?

  final class Identity: Sendable {}
}

extension Chain {
  /// The response to a complete request.
  func respond(to request: Request, in context: LoadContext) async throws -> Response {
    guard !middleware.isEmpty else { return try await sender.respond(to: request, in: context) }
    return try await Next(self, context: context)(request)
  }
}
