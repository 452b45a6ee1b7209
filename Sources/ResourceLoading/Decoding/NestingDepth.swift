package import Foundation

/// How deep documents are nested. Reading one into a recursive type takes up to 8 KB of stack a level without
/// optimisation.
package enum NestingDepth {
  /// Whether threads that aren't made here may have as little as 512 KiB of stack, as those of Dispatch and of
  /// Swift's tasks on Apple platforms, or 128 KiB.
  package static var threadsHaveSmallStacks: Bool {
    #if canImport(Darwin) || canImport(Musl)
      true
    #else
      false
    #endif
  }

  /// The levels that every stack is good for.
  package static let shallow = 32

  /// Whether JSON is nested deeper than every stack is good for. Linear, without regard to whether it is valid: what
  /// isn't is never read into a type.
  package static func isDeep(json: Data) -> Bool {
    // In UTF-16 and UTF-32 brackets and quotation marks can't be told from parts of other letters.
    guard !json.prefix(4).contains(0) else { return true }
    var (depth, isInString, isEscaped) = (0, false, false)
    for byte in json {
      if isEscaped {
        isEscaped = false
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
        isInString = byte != UInt8(ascii: "\"")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        depth += 1
        if depth > shallow { return true }
      } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
        depth -= 1
      }
    }
    return false
  }
}
