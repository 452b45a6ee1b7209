public import ResourceLoading

extension LiveResources {
  /// Follows a socket by which a server reports changes: its messages, without further options.
  ///
  /// ```swift
  /// observation = live.follow(client.socket(.get("/changes"))) { message, live in
  ///   guard case .text(let project) = message else { return }
  ///   live.invalidate(.issues(of: project))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - socket: The socket.
  ///   - tags: The tags of all resources that its messages may concern; empty for all resources.
  ///   - body: Called with one message after another.
  ///   - onEnd: Called when the socket is no longer opened again.
  /// - Returns: The observation, which ends when it is cancelled or released.
  public func follow(
    _ socket: WebSocket, about tags: Set<LiveTag> = [],
    _ body: @escaping @MainActor (WebSocket.Message, LiveResources) -> Void,
    onEnd: @escaping @MainActor ((any Error)?) -> Void = { _ in }
  ) -> LiveObservation {
    follow(socket.messages(), about: tags, body, onEnd: onEnd)
  }

  /// Follows the messages of a socket by which a server reports changes. The socket is opened at
  /// once, and again when it breaks.
  ///
  /// Whatever changes while the socket isn't open is missed. Whenever it has been opened, the
  /// resources that it is about are therefore marked as stale, after `onConnect` of the messages:
  /// wait there until the server has confirmed a subscription, if it does. They are marked when the
  /// socket has ended, too.
  ///
  /// ``removeAll()`` closes the socket, because its messages belong to the account that has signed
  /// out.
  ///
  /// - Parameters:
  ///   - messages: The messages, with their options.
  ///   - tags: The tags of all resources that the messages may concern; empty for all resources.
  ///   - body: Called with one message after another.
  ///   - onEnd: Called when the socket is no longer opened again: with the error, or with `nil` if
  ///     the server has closed it. Not called after the observation was cancelled or everything was
  ///     removed.
  /// - Returns: The observation, which ends when it is cancelled or released, and closes the socket.
  public func follow(
    _ messages: WebSocket.Messages, about tags: Set<LiveTag> = [],
    _ body: @escaping @MainActor (WebSocket.Message, LiveResources) -> Void,
    onEnd: @escaping @MainActor ((any Error)?) -> Void = { _ in }
  ) -> LiveObservation {
    let id = nextID()
    let messages = messages.onOpen { [weak self] in await self?.markMissed(tags, id) }
    keepFollowing(
      id,
      Task { [weak self] in
        var failure: (any Error)?
        do {
          for try await message in messages {
            guard let self, follows(id) else { return }
            body(message, self)
          }
        } catch {
          failure = error
        }
        guard let self else { return }
        markMissed(tags, id)
        if dropFollowing(id) { onEnd(failure) }
      })
    return LiveObservation(in: self) { [self] in dropFollowing(id) }
  }

  /// Marks what a socket is about as stale, if it is still followed.
  private func markMissed(_ tags: Set<LiveTag>, _ id: UInt64) {
    guard follows(id) else { return }
    if tags.isEmpty { invalidateAll() }
    for tag in tags { invalidate(tag: tag) }
  }
}
