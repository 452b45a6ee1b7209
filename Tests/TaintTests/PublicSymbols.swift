import Foundation

/// The symbols that `.api` lists.
struct PublicSymbols {
  /// A line of a list: `Request.header(_:_:) | func header(…) -> Request`.
  struct Symbol: Hashable {
    let name: String
    let declaration: String
  }

  let symbols: [Symbol]

  /// Reads all lists.
  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".api")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    symbols = try files.filter { $0.pathExtension == "txt" }.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
        guard let bar = line.firstRange(of: " | ") else { return nil }
        return Symbol(
          name: String(line[..<bar.lowerBound]), declaration: String(line[bar.upperBound...]))
      }
    }
  }

  var names: Set<String> { Set(symbols.map(\.name)) }
}

extension PublicSymbols.Symbol {
  /// The type that the symbol belongs to; for a type itself, what it is nested in.
  var owner: String {
    let plain = name.prefix { $0 != "(" }
    return plain.lastIndex(of: ".").map { String(plain[..<$0]) } ?? ""
  }

  /// The part of the name behind its owner's.
  var member: String { owner.isEmpty ? name : String(name.dropFirst(owner.count + 1)) }

  /// Whether a text can come in or go out by it: its declaration names a type of which values are
  /// text, bytes or errors. What consists of other types of the library is judged by their members.
  var carriesText: Bool {
    if isType || isConstant || Self.printing.contains(member) { return false }
    let words = declaration.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    return words.contains { Self.textual.contains(String($0)) }
  }

  private var isType: Bool {
    let kinds = ["struct ", "class ", "enum ", "protocol ", "typealias "]
    return kinds.contains { declaration.hasPrefix($0) || declaration.contains(" \($0)") }
      && !declaration.contains("func ") && !declaration.contains("var ")
      && !declaration.contains("let ") && !declaration.contains("init(")
  }

  private var isConstant: Bool {
    declaration.contains("static let ")
      || declaration.hasPrefix("case ") && !declaration.contains("(")
  }

  /// What every printed value is searched by.
  private static let printing: Set = ["description", "debugDescription", "customMirror"]

  private static let textual: Set = [
    "String", "Substring", "Data", "URL", "Headers", "Error", "Encodable", "Encoder",
    "CustomStringConvertible", "UInt8", "CodingKey", "StringProtocol", "Any",
    "URLSessionConfiguration", "URLSession", "KeyValuePairs", "JSONValue", "JSONEncoder",
  ]
}
