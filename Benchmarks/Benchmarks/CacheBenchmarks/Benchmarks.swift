import Benchmark
import Foundation

let benchmarks: @Sendable () -> Void = {
  guard let address = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
    let url = URL(string: address)?.appending(path: "items")
  else {
    return print("No BENCHMARK_SERVER to load from: start them by Benchmarks/run")
  }
  registerHits(url)
  registerLookups()
}
