import Foundation
import ResourceLoading

/// What the page shows of a cache, an outbox or live resources: a table, without secrets.
struct InspectedTable: Encodable, Equatable, Sendable {
  /// The number of the table in the inspector.
  var id: Int
  var title: String
  /// How many rows there are, or why there are none.
  var note: String
  var columns: [Column] = []
  var rows: [[Cell]] = []

  /// The most rows.
  static let maximumRows = 100

  struct Column: Encodable, Equatable, Sendable {
    var name: String
    var isNumber = false
  }

  struct Cell: Encodable, Equatable, Sendable {
    var text: String?
    /// A date in seconds since 1970. Dates that don't change are shown rather than durations, so
    /// that a page needs no news while nothing happens.
    var time: Int?
    var tone: Tone?
  }

  enum Tone: String, Encodable, Sendable { case good, bad }
}

extension InspectedTable.Cell {
  static func text(
    _ text: String, _ tone: InspectedTable.Tone? = nil
  ) -> InspectedTable.Cell {
    InspectedTable.Cell(text: text, tone: tone)
  }

  static func number(_ number: Int) -> InspectedTable.Cell { .text("\(number)") }

  static func time(_ date: Date?) -> InspectedTable.Cell {
    // Dates may be out of the range of integers.
    InspectedTable.Cell(
      time: date.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded()) })
  }
}

extension InspectedTable.Cell {
  /// An error in a line, with what the server says. Of other errors only the type is shown, because
  /// what they contain isn't known.
  static func failure(_ error: (any Error)?, _ text: ReportText) -> InspectedTable.Cell {
    guard let error else { return InspectedTable.Cell() }
    guard let error = error as? LoadError else { return .text("\(type(of: error))", .bad) }
    let message = error.serverMessage.map { " (\($0))" } ?? ""
    let line = text("\(error.kind): \(error.reason)\(message)")
    return .text(String(line.prefix(500)), .bad)
  }
}

extension InspectedTable.Column: ExpressibleByStringLiteral {
  init(stringLiteral name: String) { self.init(name: name) }

  static func number(_ name: String) -> InspectedTable.Column {
    InspectedTable.Column(name: name, isNumber: true)
  }
}

extension InspectedTable {
  /// What its rows are read with.
  struct Context: Sendable {
    /// The names of secrets besides those that are always redacted.
    var secretNames: Set<String> = []
    /// Returns the URLs of loads.
    var urls: @Sendable () -> [URL] = { [] }
    var date = Date()
    var limit = InspectedTable.maximumRows

    /// Returns what replaces the secrets of a URL.
    func text(_ url: String) -> ReportText { ReportText(url: url, secretNames: secretNames) }

    /// Returns how many rows are shown.
    func note(_ shown: Int, of count: Int, _ noun: String, plural: String) -> String {
      let all = "\(count) \(count == 1 ? noun : plural)"
      return shown < count ? "\(shown) of \(all) shown" : all
    }
  }
}
