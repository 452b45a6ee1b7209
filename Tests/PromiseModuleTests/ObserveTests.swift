import PromiseModule
import Testing

@Suite struct ObserveTests {
  @Test func `an observer gets either outcome`() {
    let log = Log<Bool>()

    Promise.fulfilled(1).observe(on: .inline) { log.add((try? $0.get()) == 1) }
    Promise<Int>.rejected(Oops()).observe(on: .inline) { log.add((try? $0.get()) == nil) }

    #expect(log.entries == [true, true])
  }

  @Test func `an unobserved rejection is reported once, when the promise is freed`() {
    let log = Log<Int>()
    do {
      let (promise, resolver) = Promise<Int>.pending()
      promise.reportingUnobserved { log.add(($0 as? Oops)?.number ?? 0) }
      let last = promise.map(on: .inline) { $0 }.done(on: .inline) { _ in }
      resolver.reject(Oops(number: 4))
      withExtendedLifetime(last) { #expect(log.entries.isEmpty) }
    }

    #expect(log.entries == [4])
  }

  @Test(arguments: 0..<5)
  func `an observed rejection isn't reported`(way: Int) {
    let log = Log<Int>()
    do {
      let promise = Promise<Int>.rejected(Oops()).reportingUnobserved { _ in log.add(1) }
      switch way {
      case 0: promise.catch(on: .inline) { _ in }
      case 1: promise.recover(on: .inline) { _ in 0 }.cancel()
      case 2: promise.observe(on: .inline) { _ in }
      case 3: _ = promise.result
      default: Promise.settled([promise]).cancel()
      }
    }

    #expect(log.entries.isEmpty)
  }

  @Test func `neither a value nor a cancellation is reported`() {
    let log = Log<Int>()
    do {
      Promise.fulfilled(1).reportingUnobserved { _ in log.add(1) }
      let (promise, resolver) = Promise<Int>.pending()
      promise.reportingUnobserved { _ in log.add(2) }.cancel()
      #expect(!resolver.isPending)
    }

    #expect(log.entries.isEmpty)
  }
}
