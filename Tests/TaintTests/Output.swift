import Foundation
import ResourceLoading

/// What a program can print, log, store or send on, with the name of where it came from.
struct Output: Sendable {
  let name: String
  let bytes: Data

  init(_ name: String, _ bytes: Data) { (self.name, self.bytes) = (name, bytes) }

  init(_ name: String, _ text: String) { self.init(name, Data(text.utf8)) }
}

extension Output {
  /// Returns a value as `print`, string interpolation, `dump` and debuggers show it.
  static func printed(_ name: String, _ value: Any) -> [Output] {
    var dumped = ""
    dump(value, to: &dumped)
    return [
      Output("\(name), described", String(describing: value)),
      Output("\(name), reflected", String(reflecting: value)),
      Output("\(name), dumped", dumped),
      Output("\(name), mirrored", mirrored(value).joined(separator: "\n")),
    ] + ((value as? any Error).map { of(error: $0, name) } ?? [])
  }

  /// Describes each of the values that a debugger finds in a value.
  private static func mirrored(_ value: Any, depth: Int = 0) -> [String] {
    guard depth < 8 else { return [] }
    return Mirror(reflecting: value).children.prefix(100).flatMap { label, child in
      ["\(label ?? "") \(child)"] + mirrored(child, depth: depth + 1)
    }
  }

  /// Returns what only errors have: their localized texts, all that a `LoadError` knows, and the
  /// errors of the library and of the platform below it.
  private static func of(error: any Error, _ name: String) -> [Output] {
    let localized = [
      error.localizedDescription, (error as? any LocalizedError)?.failureReason,
      (error as? any LocalizedError)?.recoverySuggestion,
    ]
    var outputs = [Output("\(name), localized", localized.compactMap(\.self).joined())]
    guard let error = error as? LoadError else { return outputs }
    let parts: [(String, Any?)] = [
      ("reason", error.reason), ("advice", error.advice), ("curlCommand", error.curlCommand),
      ("serverMessage", error.serverMessage), ("parsing", error.parsing),
      ("attempts", error.attempts), ("response", error.response), ("problem", error.problem),
      ("graphQLErrors", error.graphQLErrors), ("headers", error.response?.headers.map(\.value)),
      ("url", error.response?.url), ("kind", error.kind),
    ]
    for case (let part, let value?) in parts { outputs += printed("\(name).\(part)", value) }
    if let body = error.response?.body { outputs.append(Output("\(name).response.body", body)) }
    // An error of a stub or a program is kept as it is. What it prints is that program's business.
    if let below = error.underlying, !(below is Foreign), !(below is URLError) {
      outputs += printed("\(name).underlying", below)
    }
    return outputs
  }

  /// Returns all files below a folder, with their names.
  static func files(in folder: URL) throws -> [Output] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return try (names ?? []).sorted().flatMap { name in
      let file = folder.appending(path: name)
      let isFolder = try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      return [Output("the name of a file", name)]
        + (isFolder ? [] : [Output("file \(name)", try Data(contentsOf: file))])
    }
  }
}

/// An error of a program, which a `LoadError` keeps as it is. What it prints is the program's
/// business.
struct Foreign: Error, CustomStringConvertible {
  let description: String
}
