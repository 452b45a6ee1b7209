import Synchronization
import Testing

@testable import ResourceLoading

@Suite struct TaskLineTests {
  @Test func `the first who comes serves the line, and the others leave it to him`() {
    var line = TaskLine()

    let serves = (0..<3).map { _ in line.enter {} }

    #expect(serves == [true, false, false])
  }

  @Test func `those who wait are taken out in order, those who came meanwhile the next time`() {
    var line = TaskLine()
    let calls = Mutex<[Int]>([])
    func enter(_ number: Int) { _ = line.enter { calls.withLock { $0.append(number) } } }
    enter(1)
    enter(2)

    let first = line.leave()
    enter(3)
    for body in first + line.leave() { body() }

    #expect(first.count == 2)
    #expect(calls.withLock(\.self) == [1, 2, 3])
  }

  @Test func `a line is served by the next who comes once nobody was left in it`() {
    var line = TaskLine()
    _ = line.enter {}
    _ = line.leave()

    let isServedStill = !line.enter {}
    _ = line.leave()
    let isEmpty = line.leave().isEmpty

    #expect(isServedStill)
    #expect(isEmpty)
    #expect(line.enter {} == true)
  }
}
