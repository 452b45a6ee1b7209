// Writes the public symbols of a module, one a line and sorted, from its symbol graphs.
//
// Usage: PublicAPI MODULE FOLDER: reads FOLDER/MODULE.symbols.json and FOLDER/MODULE@*.symbols.json.
import Foundation

struct SymbolGraph: Decodable {
  struct Symbol: Decodable {
    struct Identifier: Decodable { let precise: String }
    struct Fragment: Decodable { let spelling: String }
    let identifier: Identifier
    let accessLevel: String
    let pathComponents: [String]
    let declarationFragments: [Fragment]?
  }
  struct Relationship: Decodable {
    let kind, source, target: String
    let targetFallback: String?
  }
  let symbols: [Symbol]
  let relationships: [Relationship]
}

extension SymbolGraph {
  /// A line for each symbol that somebody wrote: its path, and how it is declared.
  var declarations: [String] {
    symbols.filter(\.isWritten).map { symbol in
      let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
      let oneLine = declaration.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return "\(symbol.pathComponents.joined(separator: ".")) | \(oneLine)"
    }
  }

  /// A line for each protocol that a type conforms to.
  var conformances: [String] {
    let paths = Dictionary(
      symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
      uniquingKeysWith: { first, _ in first })
    let written = relationships.filter {
      $0.kind == "conformsTo" && !($0.targetFallback ?? "").hasSuffix("Metatype")
    }
    return written.compactMap { relationship in
      guard let path = paths[relationship.source] else { return nil }
      let target = paths[relationship.target] ?? relationship.targetFallback ?? relationship.target
      return "\(path) : \(target)"
    }
  }
}

extension SymbolGraph.Symbol {
  /// Whether it stands in the source: neither inherited nor made by the compiler for a type.
  var isWritten: Bool {
    ["public", "open"].contains(accessLevel) && !identifier.precise.contains("::SYNTHESIZED::")
  }
}

let (module, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
  $0 == "\(module).symbols.json" || $0.hasPrefix("\(module)@") && $0.hasSuffix(".symbols.json")
}
let lines = try names.flatMap { name in
  let data = try Data(contentsOf: URL(filePath: folder).appending(path: name))
  let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
  return graph.declarations + graph.conformances
}
print(Set(lines).sorted().joined(separator: "\n"))
