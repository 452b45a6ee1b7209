import Benchmark
import Foundation

let benchmarks: @Sendable () -> Void = {
  guard let address = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
    let url = URL(string: address)
  else {
    return print("No BENCHMARK_SERVER to load from: start them by Benchmarks/run")
  }
  registerLoads(of: url.appending(path: "items"))
  registerBurst(of: url.appending(path: "items"))
  registerStages(of: url.appending(path: "items"))
  registerMixed(from: url)
  registerDownload(of: url.appending(path: "file"))
}
