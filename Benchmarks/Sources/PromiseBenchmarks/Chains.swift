import Measuring
import PromiseModule
import Rows

/// Chains of `map`, each built, resolved at its head and freed.
func registerChains() {
  register(.map10, links: 10, subjects: [.ours, .nio, .task])
  register(.map1000, links: 1_000, subjects: [.ours, .nio, .task])
  register(.mapMillion, links: 1_000_000, subjects: [.ours, .nio])
  registerWithHop(.mapDefault10, links: 10)
  registerWithHop(.mapDefault1000, links: 1_000)
}

private func register(_ row: Row, links: Int, subjects: Set<Subject>) {
  if subjects.contains(.ours) {
    row.register(.ours) { count in
      for _ in 0..<count / links { runChain(of: links, on: .inline) { blackHole($0) } }
    }
  }
  if subjects.contains(.nio) {
    row.register(.nio) { count in
      Loop.run { loop in
        for _ in 0..<count / links { runChain(of: links, loop: loop) { blackHole($0) } }
      }
    }
  }
  if subjects.contains(.task) {
    row.registerAsync(.task) { count in
      for _ in 0..<count / links { blackHole(await makeTaskChain(of: links).value) }
    }
  }
}

private func registerWithHop(_ row: Row, links: Int) {
  row.register(.ours) { count in
    let countdown = Countdown(count / links)
    for _ in 0..<count / links { runChain(of: links, on: .default) { _ in countdown.tick() } }
    countdown.wait()
  }
  row.register(.nio) { count in
    let countdown = Countdown(count / links)
    for _ in 0..<count / links { runChain(of: links, loop: Loop.shared) { _ in countdown.tick() } }
    countdown.wait()
  }
  row.registerAsync(.task) { count in
    for _ in 0..<count / links { blackHole(await makeTaskChain(of: links).value) }
  }
}
