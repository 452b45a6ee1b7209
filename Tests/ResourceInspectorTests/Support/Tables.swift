import Foundation
import ResourceLoading

extension InspectedTable {
  /// The texts of a column, from the first row on. A date is shown as `@` and its seconds.
  func column(_ name: String) -> [String] {
    guard let index = columns.firstIndex(where: { $0.name == name }) else { return [] }
    return rows.map { row in row[index].text ?? row[index].time.map { "@\($0)" } ?? "" }
  }
}

extension InspectedTable.Context {
  static func at(
    _ date: Date, limit: Int = 100, urls: [URL] = [], secretNames: Set<String> = [],
    salt: [UInt8] = [0]
  ) -> InspectedTable.Context {
    InspectedTable.Context(
      secretNames: secretNames, urls: { urls }, salt: salt, date: date, limit: limit)
  }
}

/// An object that a closure inspects.
final class Shown: Inspectable {
  static let inspectedKind = "Shown"
  private let note: @Sendable (InspectedTable.Context) async throws -> String

  init(_ note: @escaping @Sendable (InspectedTable.Context) async throws -> String = { _ in "" }) {
    self.note = note
  }

  func inspect(_ context: InspectedTable.Context) async throws -> InspectedTable {
    InspectedTable(note: try await note(context))
  }
}
