import Foundation
import Rows

/// Prints the table of ratios from the results that the benchmark tool has exported.
///
///     ratios DIRECTORY [--strict]
///
/// With `--strict` it ends with status 1 when a goal is missed.
@main
enum Ratios {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let directory = arguments.first { !$0.hasPrefix("--") } ?? "."
    let table = Table(try Results(in: URL(filePath: directory, directoryHint: .isDirectory)))
    print(table.text)
    if arguments.contains("--strict") && !table.missed.isEmpty { exit(1) }
  }
}
