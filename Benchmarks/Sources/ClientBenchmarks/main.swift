import Foundation
import Measuring

guard let address = ProcessInfo.processInfo.environment["BENCHMARK_SERVER"],
  let url = URL(string: address)
else {
  fatalError("No BENCHMARK_SERVER to load from: start it by Benchmarks/run")
}
registerLoads(of: url.appending(path: "items"))
registerLargeLoads(of: url.appending(path: "list"))
registerBurst(of: url.appending(path: "items"))
registerFloor(of: url.appending(path: "items"))
registerStages(of: url.appending(path: "items"))
registerMixed(from: url)
registerDownload(of: url.appending(path: "file"))
try Suite.run()
