package import Testing

/// Lets few tests run at once, and the others wait for their turn.
///
/// All tests of a package would begin together otherwise, and each of them take nearly as long as
/// all: what one of them waits for comes late, and time limits are exceeded on a slow machine.
package struct TurnTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Turns.shared.take()
    defer { Turns.shared.giveBack() }
    try await function()
  }
}

extension Trait where Self == TurnTrait {
  /// Each test of the suite waits for its turn.
  package static var inTurn: TurnTrait { TurnTrait() }
}
