/// A promise as those below it see it: something that can be told that one of them has left.
@usableFromInline
protocol Upstream: AnyObject, Sendable {
  /// Gives up one interest. When it was the last one, the promise is cancelled.
  ///
  /// - Returns: Where the departure goes on: the cancelled promise's own upstream.
  func leave(_ key: UInt, _ worklist: inout Worklist) -> (any Upstream)?
}

extension Upstream {
  /// Tells a departure to this promise and on, in a loop, to all above that it leaves unwanted.
  @usableFromInline
  func leaveAll(_ key: UInt, _ worklist: inout Worklist) {
    var key = key
    var current: any Upstream = self
    while let next = current.leave(key, &worklist) {
      key = UInt(bitPattern: ObjectIdentifier(current))
      current = next
    }
  }
}
