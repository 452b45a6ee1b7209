package import Foundation

/// What an object holds at one moment, as a table without secrets.
public struct InspectedTable: Equatable, Sendable {
  /// How many rows there are, or why there are none.
  package var note: String
  package var columns: [Column]
  package var rows: [[Cell]]

  package init(note: String, columns: [Column] = [], rows: [[Cell]] = []) {
    (self.note, self.columns, self.rows) = (note, columns, rows)
  }

  package struct Column: Encodable, Equatable, Sendable {
    package var name: String
    package var isNumber = false
  }

  package struct Cell: Encodable, Equatable, Sendable {
    package var text: String?
    /// A date in seconds since 1970. Dates that don't change are shown rather than durations, so
    /// that a page needs no news while nothing happens.
    package var time: Int?
    package var tone: Tone?
  }

  package enum Tone: String, Encodable, Sendable { case good, bad }
}

extension InspectedTable.Cell {
  package static func text(
    _ text: String, _ tone: InspectedTable.Tone? = nil
  ) -> InspectedTable.Cell {
    InspectedTable.Cell(text: text, tone: tone)
  }

  package static func number(_ number: Int) -> InspectedTable.Cell { .text("\(number)") }

  package static func time(_ date: Date?) -> InspectedTable.Cell {
    // Dates may be out of the range of integers.
    InspectedTable.Cell(
      time: date.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded()) })
  }

  /// An error in a line, with what the server says. Of other errors only the type is shown, because
  /// what they contain isn't known.
  package static func failure(_ error: (any Error)?, _ text: ReportText) -> InspectedTable.Cell {
    guard let error else { return InspectedTable.Cell() }
    guard let error = error as? LoadError else { return .text("\(type(of: error))", .bad) }
    let message = error.serverMessage.map { " (\($0))" } ?? ""
    let line = text("\(error.kind): \(error.reason)\(message)")
    return .text(String(line.prefix(500)), .bad)
  }
}

extension InspectedTable.Column: ExpressibleByStringLiteral {
  package init(stringLiteral name: String) { self.init(name: name) }

  package static func number(_ name: String) -> InspectedTable.Column {
    InspectedTable.Column(name: name, isNumber: true)
  }
}

extension InspectedTable {
  /// What the rows of a table are read with.
  public struct Context: Sendable {
    /// The names of secrets besides those that are always redacted.
    package let secretNames: Set<String>
    /// Returns the URLs of loads.
    package let urls: @Sendable () -> [URL]
    /// The same for all tables of an inspector, so that hashes of what isn't shown can be compared
    /// on its page, and can't be guessed.
    package let salt: [UInt8]
    package let date: Date
    /// The most rows.
    package let limit: Int

    package init(
      secretNames: Set<String> = [], urls: @escaping @Sendable () -> [URL] = { [] },
      salt: [UInt8] = [], date: Date = Date(), limit: Int = 100
    ) {
      (self.secretNames, self.urls, self.salt) = (secretNames, urls, salt)
      (self.date, self.limit) = (date, limit)
    }
  }
}

extension InspectedTable.Context {
  /// Returns what replaces the secrets of a URL.
  package func text(_ url: String) -> ReportText {
    ReportText(url: url, secretNames: secretNames)
  }

  /// Returns how many rows are shown.
  package func note(_ shown: Int, of count: Int, _ noun: String, plural: String) -> String {
    let all = "\(count) \(count == 1 ? noun : plural)"
    return shown < count ? "\(shown) of \(all) shown" : all
  }
}
