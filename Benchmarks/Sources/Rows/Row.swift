/// A line of the table: one piece of work that several libraries do.
public struct Row: Sendable {
  /// What is done, in words with dashes between.
  public let name: String
  /// How often it is done in one measured iteration.
  public let operations: Int
  /// By what the libraries are compared.
  public let measure: Measure
  /// The greatest ratio of ours to theirs that is good enough, by rival.
  public let goals: [Subject: Double]

  /// A row that is compared by processor time unless it says something else.
  public init(
    _ name: String, operations: Int, by measure: Measure = .processorTime,
    goals: [Subject: Double] = [:]
  ) {
    self.name = name
    self.operations = operations
    self.measure = measure
    self.goals = goals
  }
}
