/// Text that is being written, with the settings for it.
///
/// All values that are written one inside the other share one. A nested container, and the encoder
/// of a superclass, have one of their own, since others may be written to between their parts.
final class JSONOutput {
  let settings: JSONWriterSettings
  let types: WrittenTypes
  private(set) var text = JSONBytes()
  /// Whether a container was too deep.
  var isTooDeep = false

  init(_ settings: JSONWriterSettings) {
    self.settings = settings
    types = WrittenTypes()
  }

  /// Creates an output beside another.
  init(beside other: JSONOutput) {
    settings = other.settings
    types = other.types
  }
}

extension JSONOutput {
  /// Calls a closure with the text, which is moved to it and back: a change inside this object
  /// would be checked for exclusive access each time.
  @inline(__always)
  func write(_ body: (inout JSONBytes) -> Void) {
    var text = JSONBytes()
    swap(&text, &self.text)
    body(&text)
    swap(&text, &self.text)
  }

  /// Ends an array or an object, which has begun if anything is in it.
  ///
  /// - Parameter level: The number of containers around it.
  func close(_ kind: JSONBytes.Container, isEmpty: Bool, level: Int) {
    write {
      if isEmpty { $0.append(kind.opening) }
      if settings.isPretty {
        $0.append(isEmpty ? "\n\n" : "\n")
        $0.indent(level)
      }
      $0.append(kind.closing)
    }
  }

  /// Writes an element or a member by a closure, with what comes before it: the first one begins
  /// the array or the object.
  ///
  /// - Parameter level: The number of containers around it.
  @inline(__always)
  func writePart(
    of kind: JSONBytes.Container, isFirst: Bool, level: Int, _ body: (inout JSONBytes) -> Void
  ) {
    write {
      $0.append(isFirst ? kind.opening : UInt8(ascii: ","))
      if settings.isPretty {
        $0.append(UInt8(ascii: "\n"))
        $0.indent(level)
      }
      body(&$0)
    }
  }

  func append(_ bytes: [UInt8]) { write { $0.append(bytes) } }

  func append(_ string: String) { write { $0.append(string, settings) } }

  func truncate(to count: Int) { write { $0.truncate(to: count) } }

  /// Removes the bytes from an offset to the end, and returns them.
  func cut(from offset: Int) -> [UInt8] {
    defer { truncate(to: offset) }
    return text.bytes(offset..<text.count)
  }
}

extension JSONBytes {
  enum Container {
    case array, object

    var opening: UInt8 { self == .array ? UInt8(ascii: "[") : UInt8(ascii: "{") }
    var closing: UInt8 { self == .array ? UInt8(ascii: "]") : UInt8(ascii: "}") }
  }

  @inline(__always)
  mutating func append(_ string: String, _ settings: JSONWriterSettings) {
    append(quoted: string, escapingSlashes: settings.escapesSlashes)
  }

  /// Appends the name of a member, and what comes between it and the value.
  mutating func append(name: String, _ settings: JSONWriterSettings) {
    append(name, settings)
    if settings.isPretty { append(UInt8(ascii: " ")) }
    append(UInt8(ascii: ":"))
    if settings.isPretty { append(UInt8(ascii: " ")) }
  }
}
