import Measuring
import PromiseModule
import Rows

/// The bridge to `await`, of what is there already and of what comes later.
func registerAwaiting() {
  registerAwaitingResolved()
  registerAwaitingPending()
  registerMakingAndAwaiting()
}

private func registerAwaitingResolved() {
  Row.awaitResolved.registerAsync(.ours) { count in
    let (promise, resolver) = makePromise()
    resolve(resolver, 1)
    for _ in 0..<count { blackHole(try? await promise.get()) }
  }
  Row.awaitResolved.registerAsync(.task) { count in
    let task = Task<Int, any Error> { 1 }
    _ = await task.result
    for _ in 0..<count { blackHole(try? await task.value) }
  }
  Row.awaitResolved.registerAsync(.nio) { count in
    let promise = makePromise(on: Loop.shared)
    resolve(promise, 1)
    for _ in 0..<count { blackHole(try? await promise.futureResult.get()) }
  }
}

/// Beside a continuation that is cancelled with its task, as ours is, and one that isn't.
private func registerAwaitingPending() {
  registerOurs()
  Row.awaitPending.register(.continuation) { count in
    let slot = Slot()
    TurnExecutor().run(waking: slot.resume) {
      for _ in 0..<count { blackHole(try? await slot.wait()) }
    }
  }
  Row.awaitPending.register(.cancellable) { count in
    let slot = Slot()
    TurnExecutor().run(waking: slot.resume) {
      for _ in 0..<count { blackHole(try? await slot.waitCancellably()) }
    }
  }
}

private func registerOurs() {
  Row.awaitPending.register(.ours) {
    let made = (0..<Row.awaitPending.operations).map { _ in makePromise() }
    return (promises: made.map(\.promise), resolvers: made.map(\.resolver))
  } _: { _, made in
    let promises = made.promises
    var pending = made.resolvers.makeIterator()
    TurnExecutor().run {
      if let next = pending.next() { resolve(next, 1) }
    } _: {
      for one in promises { blackHole(try? await one.get()) }
    }
  }
}

private func registerMakingAndAwaiting() {
  Row.awaitMade.register(.ours) { count in
    let slot = ResolverSlot()
    TurnExecutor().run(waking: slot.fulfill) {
      for _ in 0..<count { blackHole(try? await slot.makePromise().get()) }
    }
  }
  Row.awaitMade.register(.continuation) { count in
    let slot = Slot()
    TurnExecutor().run(waking: slot.resume) {
      for _ in 0..<count { blackHole(try? await slot.wait()) }
    }
  }
}
