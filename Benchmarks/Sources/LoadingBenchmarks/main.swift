import Foundation
import Measuring

guard let address = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
  let url = URL(string: address)?.appending(path: "items")
else {
  fatalError("No BENCHMARK_SERVER to load from: start it by Benchmarks/run")
}
registerAwaiting(url)
registerCallbacks(url)
try Suite.run()
