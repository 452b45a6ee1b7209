/// Text that is being written, with the settings for it.
///
/// All values that are written one inside the other share one. A nested container, and the encoder
/// of a superclass, have one of their own, since others may be written to between their parts.
final class JSONOutput {
  let settings: JSONWriterSettings
  let types: WrittenTypes
  let text = JSONBytes()
  /// The marks of the members of the objects that are open.
  let marks = JSONBytes()
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
  /// Begins an array or an object.
  @inline(__always)
  func open(_ bracket: Unicode.Scalar) {
    text.append(UInt8(ascii: bracket))
    if settings.isPretty { text.append(UInt8(ascii: "\n")) }
  }

  /// Ends an array or an object.
  ///
  /// - Parameter level: The number of containers around it.
  @inline(__always)
  func close(_ bracket: Unicode.Scalar, level: Int) {
    if settings.isPretty {
      text.append(UInt8(ascii: "\n"))
      text.indent(level)
    }
    text.append(UInt8(ascii: bracket))
  }

  /// Writes what comes before an element or a member.
  ///
  /// - Parameter level: The number of containers around it.
  @inline(__always)
  func separate(isFirst: Bool, level: Int) {
    if !isFirst { text.append(UInt8(ascii: ",")) }
    guard settings.isPretty else { return }
    if !isFirst { text.append(UInt8(ascii: "\n")) }
    text.indent(level)
  }

  /// Writes the name of a member.
  ///
  /// - Returns: Whether all of its characters are ASCII.
  @inline(__always)
  func append(name: String) -> Bool { append(name: name, to: text) }

  /// Writes the name of a member to another text.
  ///
  /// - Returns: Whether all of its characters are ASCII.
  func append(name: String, to text: JSONBytes) -> Bool {
    let isASCII = text.append(name, escapingSlashes: settings.escapesSlashes)
    if settings.isPretty { text.append(UInt8(ascii: " ")) }
    text.append(UInt8(ascii: ":"))
    if settings.isPretty { text.append(UInt8(ascii: " ")) }
    return isASCII
  }

  @inline(__always)
  func append(_ string: String) {
    _ = text.append(string, escapingSlashes: settings.escapesSlashes)
  }
}
