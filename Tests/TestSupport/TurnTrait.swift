package import Testing

/// Runs few tests at once; the others wait for their turn.
///
/// Otherwise all tests of a package would begin together, and each would take nearly as long as all
/// of them, so that time limits are exceeded on a slow machine.
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
