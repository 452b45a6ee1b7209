/// Where the library's tasks run in a simulation.
package enum SimulatedExecution {
  /// The executor of a simulation, which runs all tasks in an order of its own; `nil`, usually, for
  /// the one that the system chooses.
  ///
  /// A task that isn't structured inherits task-local values but no executor, so every such task of
  /// a load is created with this one.
  @TaskLocal package static var executor: (any TaskExecutor)?
}
