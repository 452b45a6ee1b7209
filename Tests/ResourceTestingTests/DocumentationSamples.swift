import Foundation

/// The code samples in the sources and the documentation catalogue of `ResourceTesting`.
enum DocumentationSamples {
  static func all() throws -> [String] {
    try files().flatMap { try samples(in: String(contentsOf: $0, encoding: .utf8)) }
  }

  /// Without indentation, which differs from place to place.
  static func trimmed(_ text: String) -> String {
    text.components(separatedBy: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  private static func files() throws -> [URL] {
    let package = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let sources = package.appending(path: "Sources/ResourceTesting")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? [])
      .filter { ["swift", "md"].contains($0.pathExtension) }
  }

  /// What stands between fences, in Markdown and in `///` comments.
  private static func samples(in text: String) -> [String] {
    let lines = trimmed(text).components(separatedBy: "\n").map { line in
      line.hasPrefix("///") ? String(line.dropFirst(3)) : line
    }
    let fences = lines.indices.filter { trimmed(lines[$0]).hasPrefix("```") }
    return stride(from: 0, to: fences.count - 1, by: 2).map { index in
      trimmed(lines[fences[index] + 1..<fences[index + 1]].joined(separator: "\n"))
    }
  }
}
