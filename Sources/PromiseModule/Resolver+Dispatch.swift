// Work items and sources aren't `Sendable`, although any thread may cancel them.
@unsafe @preconcurrency public import Dispatch

extension Promise.Resolver {
  /// Cancels a work item when the promise is cancelled.
  ///
  /// ```swift
  /// let answer = Promise<Int> { resolver in
  ///   let item = DispatchWorkItem { resolver.fulfill(compute()) }
  ///   resolver.onCancel(item)
  ///   queue.async(execute: item)
  /// }
  /// ```
  ///
  /// An item that has begun isn't interrupted. As with a closure, the promise isn't rejected as
  /// broken while it holds an item that holds the resolver.
  ///
  /// - Parameter item: The item, held until the promise is settled.
  public func onCancel(_ item: DispatchWorkItem) {
    onCancel { item.cancel() }
  }

  /// Cancels a dispatch source, such as a timer, when the promise is cancelled.
  ///
  /// - Parameter source: The source, held until the promise is settled.
  public func onCancel(_ source: any DispatchSourceProtocol) {
    onCancel { source.cancel() }
  }
}
