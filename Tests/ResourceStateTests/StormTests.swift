import Foundation
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceState

/// Observers that come and go, while loads succeed, fail and are cancelled at random.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct StormTests {
  private static let resourceCount = 50
  private static let observerCount = 1000

  private struct Observer {
    let number: Int
    let received: Received<String>
    let token: LiveObservation
    var isCancelled = false
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `1,000 observers on 50 resources all end with the last value, and nothing stays alive`(
    seed: UInt64
  ) async {
    var random = SeededGenerator(seed: seed)
    let rig = Rig(.with { $0.grace = .seconds(10) })
    var server = Array(repeating: 0, count: Self.resourceCount)
    var observers: [Observer] = []
    var held: [LiveResource<String>] = []

    var begun = 0
    while begun < Self.observerCount {
      let number = Int.random(in: 0..<Self.resourceCount, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<5:
        begun += 1
        let received = Received<String>()
        let token = rig.live.observe(resource(number)) { received($0) }
        observers.append(Observer(number: number, received: received, token: token))
      case 5 where !observers.isEmpty:
        observers.remove(at: Int.random(in: observers.indices, using: &random))
      case 6 where !observers.isEmpty:
        let index = Int.random(in: observers.indices, using: &random)
        observers[index].token.cancel()
        observers[index].isCancelled = true
      case 7: rig.live.invalidate(resource(number))
      case 8:
        held.append(rig.live.resource(resource(number)))
        _ = held.last?.value
        if held.count > 20 { held.removeFirst() }
      case 9:
        rig.clock.advance(by: .seconds(Int.random(in: 0..<5, using: &random)))
      case 10: rig.live.reloadStale()
      default:
        guard let path = rig.loader.waiting.randomElement(using: &random) else { break }
        if Bool.random(using: &random) {
          let place = Int(path.dropFirst(3)) ?? 0
          server[place] += 1
          rig.loader.answer(path, .success(.text("\(server[place])", maxAge: nil)))
        } else {
          rig.loader.answer(path, .failure(LoadError(.connection, "down")))
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
    }

    // The server changes for the last time, and every observed resource gets the change.
    for place in server.indices { server[place] += 1 }
    rig.live.invalidateAll()
    await rig.settle()
    while let path = rig.loader.waiting.first {
      let place = Int(path.dropFirst(3)) ?? 0
      rig.loader.answer(path, .success(.text("\(server[place])", maxAge: 60)))
      await rig.settle()
    }
    #expect(rig.loader.overlaps == 0)
    #expect(observers.count { !$0.isCancelled } > 100)
    for observer in observers where !observer.isCancelled {
      #expect(observer.received.values.last == "\(server[observer.number])")
    }

    observers = []
    held = []
    await rig.settle()
    await rig.pass(.seconds(100))
    #expect(rig.live.count == 0)
    #expect(rig.loader.waitingCount == 0)
  }

  private func resource(_ number: Int) -> Resource<String> {
    .text(at: "/r/\(number)")
  }
}
