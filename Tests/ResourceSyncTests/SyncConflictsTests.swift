import Foundation
import ResourceLoading
import ResourceOutbox
import Testing

@testable import ResourceSync

/// So that calls can stand in expectations.
private final class Conflicts {
  private var value = SyncConflicts<TestNote>()

  func begin(_ current: [SyncFailure<TestNote>], of read: Int) -> [SyncFailure<TestNote>] {
    value.begin(current, of: read)
  }

  func end(_ id: OutboxEntry.ID, isDecided: Bool) -> SyncFailure<TestNote>? {
    value.end(id, isDecided: isDecided)
  }

  func beginPull(_ id: OutboxEntry.ID) -> Bool { value.beginPull(id) }

  func reconsider() { value.reconsider() }
}

@Suite struct SyncConflictsTests {
  private let id = UUID()

  private func failure(known: TestNote?? = nil) -> SyncFailure<TestNote> {
    SyncFailure(
      id: id, rowID: "a", conflict: SyncConflict(base: nil, mine: nil, theirs: nil),
      error: .syncConflict, key: "a", known: known, isConflict: true)
  }

  @Test func `a conflict is looked at once`() {
    let conflicts = Conflicts()

    #expect(conflicts.begin([failure()], of: 1).map(\.id) == [id])
    #expect(conflicts.begin([failure()], of: 2).isEmpty)
    #expect(conflicts.end(id, isDecided: false) == nil)
    #expect(conflicts.begin([failure()], of: 3).isEmpty)
  }

  @Test func `it is looked at again as soon as it is known what the server has`() {
    let conflicts = Conflicts()
    _ = conflicts.begin([failure()], of: 1)

    // Not while somebody looks at it.
    #expect(conflicts.begin([failure(known: .some(nil))], of: 2).isEmpty)
    #expect(conflicts.end(id, isDecided: false)?.known == .some(nil))
    #expect(conflicts.end(id, isDecided: false) == nil)
  }

  @Test func `a read that comes late changes nothing`() {
    let conflicts = Conflicts()
    _ = conflicts.begin([failure(known: .some(nil))], of: 2)
    _ = conflicts.end(id, isDecided: false)

    #expect(conflicts.begin([], of: 1).isEmpty)
    #expect(conflicts.begin([failure()], of: 1).isEmpty)
    #expect(conflicts.begin([failure(known: .some(nil))], of: 3).isEmpty)
  }

  @Test func `what was decided, or has gone, is looked at like the first when it comes again`() {
    let conflicts = Conflicts()
    _ = conflicts.begin([failure()], of: 1)
    #expect(conflicts.end(id, isDecided: true) == nil)
    #expect(conflicts.begin([failure()], of: 2).count == 1)
    _ = conflicts.end(id, isDecided: false)
    _ = conflicts.begin([], of: 3)
    #expect(conflicts.begin([failure()], of: 4).count == 1)
  }

  @Test func `it is reconsidered after a pull, when nobody looks at it anymore`() {
    let conflicts = Conflicts()
    _ = conflicts.begin([failure()], of: 1)
    conflicts.reconsider()
    #expect(conflicts.begin([failure()], of: 2).isEmpty)
    #expect(conflicts.end(id, isDecided: false)?.id == id)
    #expect(conflicts.end(id, isDecided: false) == nil)
    conflicts.reconsider()
    #expect(conflicts.begin([failure()], of: 3).map(\.id) == [id])
  }

  @Test func `a conflict asks for one pull`() {
    let conflicts = Conflicts()
    _ = conflicts.begin([failure()], of: 1)

    #expect(conflicts.beginPull(id))
    conflicts.reconsider()
    #expect(!conflicts.beginPull(id))
    #expect(!conflicts.beginPull(UUID()))
  }
}
