import Foundation
import Rows

/// The medians of all benchmarks that were run.
struct Results {
  private var medians: [String: [String: Double]] = [:]

  /// Reads the exported files of a directory.
  ///
  /// - Throws: What reading and decoding the files throws.
  init(in directory: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: nil)
    for file in files where file.lastPathComponent.hasSuffix(".jmh.json") {
      for export in try JSONDecoder().decode([Export].self, from: Data(contentsOf: file)) {
        medians[export.name] = export.secondaryMetrics.compactMapValues(\.median)
      }
    }
  }

  /// What one operation of a row costs a subject: nanoseconds, or instructions; `nil` if it wasn't run.
  func cost(of row: Row, for subject: Subject, by measure: Measure) -> Double? {
    guard let median = medians["\(row.name)/\(subject.rawValue)"]?[measure.rawValue] else {
      return nil
    }
    // The export has wall clock time in microseconds.
    let scale = measure == .wallClock ? 1_000.0 : 1
    return median * scale / Double(row.operations)
  }
}
