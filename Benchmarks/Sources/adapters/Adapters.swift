import CoreMetrics
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import ResourceLoading
import ResourceTesting

/// Loads twice with the client of the article "In a service", and fails unless swift-log and
/// swift-metrics have got everything: the hooks to what services have need no package of their own.
@main
enum Adapters {
  static func main() async throws {
    let (log, metrics) = (InMemoryLogHandler(), TestMetrics())
    MetricsSystem.bootstrap(metrics)
    let server = try LoopbackServer {
      LoopbackRoute("GET /found") { _ in .response(body: "found") }
    }
    defer { server.stop() }
    let client = makeMeasuredClient(server.url(), Logger(label: "loads") { _ in log })

    let text = try await client.load(.text(.get("/found?token=secret")))
    let missing = try? await client.load(.text(.get("/missing")))

    let entries = log.entries.map { "\($0.message)" }
    try check(text == "found" && missing == nil, "the loads")
    try check(entries.count >= 4 && !entries.contains { $0.contains("secret") }, "\(entries)")
    for status in ["200", "404"] {
      let counter = try metrics.expectCounter("http_responses", [("status", status)])
      try check(counter.totalValue == 1, "the responses \(status)")
    }
    let recorder = try metrics.expectRecorder("http_load_seconds")
    try check(recorder.values.count == 2, "the times \(recorder.values)")
    print("swift-log got \(entries.count) entries, swift-metrics 2 responses and 2 times")
  }

  private struct Failure: Error { var what: String }

  private static func check(_ isRight: Bool, _ what: String) throws {
    guard isRight else { throw Failure(what: what) }
  }
}
