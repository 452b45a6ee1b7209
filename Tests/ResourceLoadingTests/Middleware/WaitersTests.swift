import Testing

@testable import ResourceLoading

@Suite struct WaitersTests {
  @Test(arguments: [
    ([], 0), ([0], 1), ([1], 0), ([0, 1], 2), ([1, 0], 2), ([2], 0), ([0, 0], 1), ([2, 0, 1], nil),
  ])
  func `the eldest is the first of those who haven't left`(_ leaving: [Int], _ eldest: Int?) {
    var waiters = Waiters<Int>()
    let tickets = (0..<3).map { waiters.admit($0) }

    for index in leaving { waiters.dismiss(tickets[index]) }

    #expect(waiters.eldest == eldest)
  }

  @Test func `who comes after all have left is the eldest`() {
    var waiters = Waiters<String>()
    waiters.dismiss(waiters.admit("a"))

    _ = waiters.admit("b")

    #expect(waiters.eldest == "b")
  }
}
