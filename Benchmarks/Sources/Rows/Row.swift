/// A line of the table: one piece of work that several libraries do.
public struct Row: Sendable {
  /// What is done, in words with dashes between.
  public let name: String
  /// How often it is done in one measured iteration.
  public let operations: Int
  /// By what the libraries are compared.
  public let measure: Measure
  /// Who is compared with the others.
  public let ours: Subject
  /// The greatest ratio of ours to theirs that is good enough, by rival.
  public let goals: [Subject: Double]
  /// Whether all threads share one core: for work of several threads, which may be slower on one
  /// core than on the other, and to wake which may cost more than the work does. Both change from
  /// minute to minute.
  public let isOnOneCore: Bool

  /// A row that is compared by processor time unless it says something else.
  public init(
    _ name: String, operations: Int, by measure: Measure = .processorTime,
    ours: Subject = .ours, goals: [Subject: Double] = [:], onOneCore isOnOneCore: Bool = false
  ) {
    self.name = name
    self.operations = operations
    self.measure = measure
    self.ours = ours
    self.goals = goals
    self.isOnOneCore = isOnOneCore
  }

  /// Another line about the same work, which isn't done again for it.
  public func read(
    by measure: Measure, for ours: Subject, goals: [Subject: Double] = [:]
  ) -> Row {
    Row(
      name, operations: operations, by: measure, ours: ours, goals: goals, onOneCore: isOnOneCore)
  }

  /// Whom ours is compared with: of the lines of one piece of work each has its own.
  public var rivals: [Subject] {
    ours == .ours ? Subject.rivals : Subject.rivals.filter { goals[$0] != nil }
  }
}
