extension Promise {
  /// Adds the reaction that feeds a promise derived from this one.
  @inlinable
  func add<NewValue>(_ reaction: consuming Reaction, feeding child: Promise<NewValue>) {
    var waiting: Reaction? = consume reaction
    let reporter = locked { machine in
      add(&waiting, to: &machine)
      return machine.origin.reporter
    }
    if let reporter { child.inherit(reporter) }
    if let ready = waiting { ready.start(of: self) }
  }

  /// Adds a reaction inside a drain, whose worklist it joins if the outcome is there.
  @inlinable
  func add(_ reaction: consuming Reaction, _ worklist: inout Worklist) {
    var waiting: Reaction? = consume reaction
    locked { add(&waiting, to: &$0) }
    if let ready = waiting { worklist.accept(Due(ready, of: self)) }
  }

  /// Adds a reaction outside of any drain.
  @inlinable
  func add(_ reaction: consuming Reaction) {
    var waiting: Reaction? = consume reaction
    locked { add(&waiting, to: &$0) }
    if let ready = waiting { ready.start(of: self) }
  }

  /// Adds a reaction, with the lock held: takes it, unless it starts now.
  @inlinable
  @inline(__always)
  func add(_ reaction: inout Reaction?, to machine: inout Machine) {
    if machine.audience.isObserver { spellOut(&machine) }
    machine.add(&reaction)
  }

  @usableFromInline
  func spellOut(_ machine: inout Machine) {
    if case .one(let observer) = machine.audience { machine.audience = .one(observing(observer)) }
  }

  /// Ends the turn of a reaction.
  @inlinable
  func advance(_ lane: Lane, _ worklist: inout Worklist) {
    if let next = locked({ $0.audience.advance(lane) }) { worklist.turn = Due(next, of: self) }
  }

  @usableFromInline
  func inherit(_ reporter: Reporter) {
    locked { $0.origin.setReporter(reporter) }
  }

  /// Names this promise to the one that feeds it.
  @inlinable var key: Key { Key(child: self) }
}
