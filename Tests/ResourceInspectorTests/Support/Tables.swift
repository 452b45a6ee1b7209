import Foundation

@testable import ResourceInspector

extension InspectedTable.Content {
  /// The texts of a column, from the first row on. A date is shown as `@` and its seconds.
  func column(_ name: String) -> [String] {
    guard let index = columns.firstIndex(where: { $0.name == name }) else { return [] }
    return rows.map { row in row[index].text ?? row[index].time.map { "@\($0)" } ?? "" }
  }
}

extension InspectedTable.Context {
  static func at(
    _ date: Date, limit: Int = 100, urls: [URL] = [], secretNames: Set<String> = []
  ) -> InspectedTable.Context {
    InspectedTable.Context(secretNames: secretNames, urls: { urls }, date: date, limit: limit)
  }
}
