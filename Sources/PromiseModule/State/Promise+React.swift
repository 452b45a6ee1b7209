extension Promise {
  /// Adds the reaction that feeds a promise derived from this one.
  @inlinable
  func add<NewValue>(_ reaction: Reaction, feeding child: Promise<NewValue>) {
    let (starts, reporter) = locked { ($0.add(reaction), $0.origin.reporter) }
    if let reporter { child.inherit(reporter) }
    if starts { reaction.start() }
  }

  /// Adds a reaction inside a drain, whose worklist it joins if the outcome is there.
  @inlinable
  func add(_ reaction: Reaction, _ worklist: inout Worklist) {
    if locked({ $0.add(reaction) }) { worklist.accept(reaction) }
  }

  /// Ends the turn of a reaction.
  @inlinable
  func advance(_ lane: Lane, _ worklist: inout Worklist) {
    if let next = locked({ $0.audience.advance(lane) }) { worklist.turn = next }
  }

  @usableFromInline
  func inherit(_ reporter: Reporter) {
    locked { $0.origin.setReporter(reporter) }
  }

  /// Names this promise to the one that feeds it.
  @inlinable var key: Key { Key(child: self) }
}
