import Benchmark

let benchmarks: @Sendable () -> Void = {
  registerCreating()
  registerChains()
  registerGroups()
  registerAwaiting()
  registerHops()
  registerCounts()
}
