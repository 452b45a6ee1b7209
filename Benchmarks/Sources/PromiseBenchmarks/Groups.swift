import Measuring
import NIOCore
import PromiseModule
import Rows

/// Waiting for all of many pending promises, which are then resolved one after another.
func registerGroups() {
  register(.all100, inputs: 100)
  register(.all1000, inputs: 1_000)
  register(.all10000, inputs: 10_000)
}

private func register(_ row: Row, inputs: Int) {
  row.register(.ours) { count in
    for _ in 0..<count / inputs { waitForPromises(inputs) }
  }
  row.register(.nio) { count in
    Loop.run { loop in
      for _ in 0..<count / inputs { waitForPromises(inputs, on: loop) }
    }
  }
  row.registerAsync(.task) { count in
    for _ in 0..<count / inputs { blackHole(await values(ofTasks: inputs)) }
  }
}

@inline(never)
func waitForPromises(_ count: Int) {
  let made = (0..<count).map { _ in makePromise() }
  Promise.all(made.map(\.promise)).observe(on: .inline) { blackHole($0) }
  for (number, input) in made.enumerated() { resolve(input.resolver, number) }
}

@inline(never)
func waitForPromises(_ count: Int, on loop: any EventLoop) {
  let made = (0..<count).map { _ in makePromise(on: loop) }
  EventLoopFuture.whenAllSucceed(made.map(\.futureResult), on: loop)
    .whenComplete { blackHole($0) }
  for (number, input) in made.enumerated() { resolve(input, number) }
}

private func values(ofTasks count: Int) async -> [Int] {
  await withTaskGroup(of: (Int, Int).self) { group in
    for number in 0..<count { group.addTask { (number, number) } }
    var values = Array(repeating: 0, count: count)
    for await (index, value) in group { values[index] = value }
    return values
  }
}
