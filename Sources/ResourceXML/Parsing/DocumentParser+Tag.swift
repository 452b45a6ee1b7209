extension DocumentParser {
  /// Productions 40 and 44, a start tag or an empty-element tag.
  @inline(__always)
  mutating func startTag<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    let spent = budget.spent
    do throws(Failure) {
      var i = p &+ 1
      let name = try self.name(bytes, &i)
      let isEmpty = try attributes(bytes, &i, isDocument: isDocument)
      try open(name, isEmpty: isEmpty, bytes, at: p, isDocument: isDocument, &sink)
      p = i
    } catch {
      budget.reset(to: spent)
      throw error
    }
  }

  /// Production 42, an end tag.
  @inline(__always)
  mutating func endTag<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    guard let element = open.last, open.count > (frames.last?.depth ?? 0) else {
      throw Failure(.mismatchedTag, "an end tag has no start tag here", at: p)
    }
    var i = try matchName(of: element.name, bytes, from: p)
    if i < bytes.count, bytes[i] != .greaterThan { i = bytes.skipSpace(from: i) }
    guard try bytes.byte(at: i) == .greaterThan else {
      throw mismatch(element.name, at: p)
    }
    open.removeLast()
    try close(element, &sink)
    p = i &+ 1
  }

  /// The end of the open element's name in an end tag.
  @inline(__always)
  private func matchName(
    of name: UInt32, _ bytes: Span<UInt8>, from p: Int
  ) throws(Failure) -> Int {
    let entry = namespaces.names.entries[Int(name)]
    let length = Int(entry.length)
    let start = p &+ 2
    if length <= 8, start &+ 8 <= bytes.count {
      guard bytes.paddedWord(from: start, to: start &+ length) == entry.head else {
        throw mismatch(name, at: p)
      }
      return start &+ length
    }
    for i in 0..<length {
      guard start + i < bytes.count else { throw .end(at: bytes.count) }
      guard bytes[start + i] == namespaces.names.bytes[Int(entry.offset) + i] else {
        throw mismatch(name, at: p)
      }
    }
    return start + length
  }

  private func mismatch(_ name: UInt32, at offset: Int) -> Failure {
    Failure(
      .mismatchedTag, "the end tag doesn't match the open element", at: offset,
      name: namespaces.names.string(name))
  }

  /// A name at `i`, which moves behind it.
  @inline(__always)
  mutating func name(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> UInt32 {
    let end = try bytes.nameEnd(from: i)
    guard end &- i <= options.limits.nameLength else {
      throw Failure(.limit, "a name is too long", at: i)
    }
    let name = namespaces.names.intern(bytes, i, end)
    i = end
    return name
  }
}

extension DocumentParser {
  /// Opens an element whose tag is complete: namespaces, defaults, then the sink.
  @inline(__always)
  private mutating func open<S: EventSink>(
    _ name: UInt32, isEmpty: Bool, _ bytes: Span<UInt8>, at offset: Int, isDocument: Bool,
    _ sink: inout S
  ) throws(Failure) {
    guard open.count < options.limits.depth else {
      throw Failure(.limit, "elements are nested too deep", at: offset)
    }
    if !type.attributeLists.isEmpty { try applyDeclarations(name, bytes, at: offset) }
    let mark = namespaces.mark
    let expanded = try resolve(name, bytes, at: offset)
    let element = OpenElement(name: name, expanded: expanded, mark: mark)
    phase = .content
    try sink.startElement(
      expanded, attributes, bytes, scratch, namespaces,
      at: place(offset, isDocument: isDocument))
    if isEmpty {
      try close(element, &sink)
    } else {
      open.append(element)
    }
  }

  @inline(__always)
  private mutating func close<S: EventSink>(
    _ element: OpenElement, _ sink: inout S
  ) throws(Failure) {
    if namespaces.mark != element.mark { namespaces.unbind(to: element.mark) }
    try sink.endElement(element.expanded, namespaces)
    if open.isEmpty { phase = .epilog }
  }
}
