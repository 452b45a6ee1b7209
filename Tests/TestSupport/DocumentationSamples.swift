import Foundation

/// The Swift samples in documentation, for tests that say: every one of them is compiled.
package enum DocumentationSamples {
  /// The samples in Markdown and in `///` comments of a file or a folder, without indentation.
  package static func all(in path: String) throws -> [String] {
    try files(in: path).flatMap { try samples(in: String(contentsOf: $0, encoding: .utf8)) }
  }

  /// Without indentation, which differs from place to place.
  package static func trimmed(_ text: String) -> String {
    text.components(separatedBy: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  private static func files(in path: String) -> [URL] {
    let package = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let place = package.appending(path: path)
    let inside = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
    let files = [place] + (inside?.compactMap { $0 as? URL } ?? [])
    return files.filter { ["swift", "md"].contains($0.pathExtension) }
  }

  /// What stands between fences; a fence that names another language than Swift doesn't count.
  private static func samples(in text: String) -> [String] {
    let lines = trimmed(text).components(separatedBy: "\n").map { line in
      line.hasPrefix("///") ? String(line.dropFirst(3)) : line
    }
    let fences = lines.indices.filter { trimmed(lines[$0]).hasPrefix("```") }
    return stride(from: 0, to: fences.count - 1, by: 2).compactMap { index in
      guard ["```swift", "```"].contains(trimmed(lines[fences[index]])) else { return nil }
      return trimmed(lines[fences[index] + 1..<fences[index + 1]].joined(separator: "\n"))
    }
  }
}
