import Benchmark

let benchmarks: @Sendable () -> Void = {
  registerOurs()
  registerGRDB()
  registerSQLite()
}
