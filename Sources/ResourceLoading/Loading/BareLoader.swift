/// A client without its middleware.
struct BareLoader: Loader {
  let chain: Chain
  let clock: LoadClock

  @concurrent
  func load<R>(_ resource: Resource<R>) async throws -> R {
    let bare = Chain(completer: chain.completer, sender: chain.sender)
    return try await LoadRun(resource, through: bare, clock: clock)()
  }
}
