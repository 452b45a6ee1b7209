import CAllocations
import Foundation
import Measuring
import ResourceJSON
import Rows

/// Elements of a document in pieces of several sizes, beside the same document in one piece.
func registerPieces() {
  for (row, size) in [
    (Row.jsonPieces256, 256), (.jsonPieces4096, 4096), (.jsonPieces65536, 65_536),
  ] {
    let pieces = Documents.issues.cut(by: size)
    row.register(.ours) { _ in blackHole(readIssues(pieces)) }
    row.register(.inOnePiece) { _ in blackHole(readIssues([Documents.issues])) }
  }
  Row.jsonElements.register(.ours) { _ in
    blackHole(readIssues(Documents.manyIssues.cut(by: 65_536)))
  }
  Row.jsonElements.register(.wholeDocument) { _ in
    blackHole(decode([Issue].self, appDecoder, Documents.manyIssues))
  }
}

/// By how much the process grows while it reads a gigabyte of elements.
func registerGigabyte() {
  Row.jsonGigabyte.registerCount(.ours) { _ in
    let elements = Documents.issues.dropFirst().dropLast()
    let pieces = Data(elements).cut(by: 65_536)
    let comma = Data(",".utf8)
    let before = ResidentMemory.peakFromNowOn()
    var reader = JSONReader(appDecoder).elements(of: Issue.self)
    var count = 0
    reader.append(Data("[".utf8))
    for number in 0..<(1 << 30) / elements.count {
      if number > 0 { reader.append(comma) }
      for piece in pieces {
        reader.append(piece)
        count += drain(&reader)
      }
    }
    reader.append(Data("]".utf8))
    reader.finish()
    count += drain(&reader)
    precondition(count == (1 << 30) / elements.count * 1_000, "not all elements were read")
    return ResidentMemory.peak - before
  }
  Row.jsonGigabyte.registerCount(.allowed) { _ in 16 << 20 }
}

/// The value so far after each piece, beside decoding what has arrived as a document of its own.
func registerPartials() {
  let steps = (0..<200).map { "\"Step \($0): stir, and wait until it boils.\"" }
  let head = "{\"title\":\"Tea\",\"steps\":["
  let pieces = steps.indices.map { Data(($0 == 0 ? head : ",").utf8) + Data(steps[$0].utf8) }
  let documents = steps.indices.map { last in
    Data((head + steps[...last].joined(separator: ",") + "]}").utf8)
  }
  Row.jsonPartials.register(.ours) { _ in
    attempt {
      var answer = JSONReader().partials(of: Answer.self)
      for piece in pieces { blackHole(try answer.append(piece)) }
      blackHole(try answer.append(Data("]}".utf8)))
    }
  }
  Row.jsonPartials.register(.wholeDocument) { _ in
    for document in documents { blackHole(decode(Answer.self, JSONDecoder(), document)) }
  }
  Row.jsonPartials.register(.jsonDecoder) { _ in
    attempt {
      for document in documents { blackHole(try JSONDecoder().decode(Answer.self, from: document)) }
    }
  }
}

private struct Answer: Decodable {
  var title: String?
  var steps: [String]?
}

@inline(never)
private func readIssues(_ pieces: [Data]) -> Int {
  var reader = JSONReader(appDecoder).elements(of: Issue.self)
  var count = 0
  for piece in pieces {
    reader.append(piece)
    count += drain(&reader)
  }
  reader.finish()
  return count + drain(&reader)
}

/// Reads the elements that are complete.
private func drain(_ reader: inout JSONElements<Issue>) -> Int {
  attempt {
    var count = 0
    while let issue = try reader.next() {
      blackHole(issue)
      count += 1
    }
    return count
  }
}

private func attempt<Result>(_ body: () throws -> Result) -> Result {
  do { return try body() } catch { preconditionFailure("the document can't be read: \(error)") }
}

extension Data {
  fileprivate func cut(by size: Int) -> [Data] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}

/// The memory that the process has in use, in bytes, as Linux counts it.
private enum ResidentMemory {
  static var peak: Int { attempt { try value(of: "VmHWM:") } }

  /// Forgets the peak so far.
  ///
  /// - Returns: What is in use now.
  static func peakFromNowOn() -> Int {
    // What earlier rows have freed isn't in use.
    allocations_trim()
    return attempt {
      try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
      return try value(of: "VmRSS:")
    }
  }

  private static func value(of name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    guard let kilobytes = line?.split(separator: " ").dropLast().last.flatMap({ Int($0) }) else {
      preconditionFailure("the system doesn't tell \(name)")
    }
    return kilobytes << 10
  }
}
