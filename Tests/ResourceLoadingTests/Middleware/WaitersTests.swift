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

  @Test(arguments: [false, true])
  func `however many leave, the others stay in their order`(_ leavesFirst: Bool) {
    var waiters = Waiters<Int>()
    let tickets = (0..<1000).map { waiters.admit($0) }
    let leaving = tickets.filter { $0 < 300 || $0.isMultiple(of: 2) }

    for ticket in leavesFirst ? leaving : leaving.reversed() { waiters.dismiss(ticket) }
    let late = waiters.admit(1000)

    #expect(waiters.eldest == 301)
    #expect(waiters.all == (300..<1000).filter { !$0.isMultiple(of: 2) } + [1000])
    #expect(late == 1000)
  }

  @Test func `who comes after all have left is the eldest`() {
    var waiters = Waiters<String>()
    waiters.dismiss(waiters.admit("a"))

    _ = waiters.admit("b")

    #expect(waiters.eldest == "b")
  }
}
