import Foundation
import Rows

/// The medians of all rows that were run.
struct Results {
  private var medians: Medians = [:]

  /// Reads the results of each suite, which are files of a directory.
  ///
  /// - Throws: What reading and decoding the files throws.
  init(in directory: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: nil)
    for file in files where file.pathExtension == "json" {
      let suite = try JSONDecoder().decode(Medians.self, from: Data(contentsOf: file))
      medians.merge(suite) { $1 }
    }
  }

  /// What one operation of a row costs a subject; `nil` if it wasn't run.
  func cost(of row: Row, for subject: Subject) -> Double? {
    median(of: .cost(to: subject, by: row.measure), in: row).map { $0 / Double(row.operations) }
  }

  /// What a row costs for each unit that it costs a rival; `nil` if one of the two wasn't run.
  func ratio(of row: Row, to rival: Subject) -> Double? {
    median(of: .ratio(of: row.ours, to: rival, by: row.measure), in: row)
  }

  private func median(of figure: Figure, in row: Row) -> Double? {
    medians[row.name]?[figure.name]
  }
}
