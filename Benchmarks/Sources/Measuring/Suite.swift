import Foundation
import Rows
import Synchronization

/// The rows of this program, each with all who do its work.
///
/// They take turns, round by round: a machine that others use runs faster in one minute than in the
/// next, and what is measured in one minute can't be compared with what is measured in the next.
public enum Suite {
  private static let rows = Mutex<[(row: Row, contenders: [Contender])]>([])

  static func add(_ contender: Contender, to row: Row) {
    rows.withLock { rows in
      if let index = rows.firstIndex(where: { $0.row.name == row.name }) {
        rows[index].contenders.append(contender)
      } else {
        rows.append((row, [contender]))
      }
    }
  }

  /// Does all rounds of all rows, and writes the medians.
  ///
  /// The first argument of the program is the file to write to; the second, if there is one, how
  /// the names begin of the rows to do. Call it from the main thread, or from one of its own, which
  /// waits: then all threads of the pool are for those who are measured.
  ///
  /// - Throws: What writing the file throws.
  public static func run() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let prefix = arguments.dropFirst().first ?? ""
    var medians: Medians = [:]
    for (row, contenders) in rows.withLock({ $0 }) where row.name.hasPrefix(prefix) {
      try FileHandle.standardError.write(contentsOf: Data("\(row.name)\n".utf8))
      medians[row.name] = Rounds(row, contenders).medians()
    }
    let data = try JSONEncoder().encode(medians)
    guard let file = arguments.first else { return print(String(decoding: data, as: UTF8.self)) }
    try data.write(to: URL(filePath: file))
  }
}
