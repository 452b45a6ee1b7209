import Foundation
import Measuring

guard let address = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
  let url = URL(string: address)
else {
  fatalError("No BENCHMARK_SERVER to talk to: start it by Benchmarks/run")
}
registerEchoes(from: url)
try Suite.run()
