/// The grammar of a document. It reads UTF-8 and reports events to a sink.
///
/// It reads whole tokens. An incomplete token is read again from its beginning when more input has
/// arrived. No function calls itself, directly or indirectly; open elements and entities are on
/// stacks.
struct DocumentParser: Sendable {
  enum Phase: Sendable {
    /// Nothing has been read. An XML declaration may follow.
    case start
    /// Before the root.
    case prolog
    /// Inside the root.
    case content
    /// After the root.
    case epilog
  }

  struct OpenElement: Sendable {
    var name: UInt32
    var expanded: UInt32
    /// The namespace bindings to undo at its end; see ``NamespaceTable/mark``.
    var mark: Int
  }

  struct Frame: Sendable {
    var entity: Int
    /// The offset up to which its text has been read.
    var position = 0
    /// The number of elements that were open when it was entered.
    var depth: Int
  }

  let options: XMLOptions
  var phase = Phase.start
  var hasDocumentType = false
  var isInsideCDATA = false
  /// The bytes of the document before the current input.
  var consumed = 0
  var namespaces = NamespaceTable()
  var type = InternalSubset()
  var open: [OpenElement] = []
  var frames: [Frame] = []
  /// The offset of the outermost entity reference.
  var referenceOffset = 0
  var budget = ExpansionBudget()
  var encoding: DeclaredEncoding

  // The current tag; kept for their capacity.
  var attributes: [ParsedAttribute] = []
  var scratch: [UInt8] = []
  /// By name: the last tag that had it. Finding a duplicate takes one step.
  var stamps: [UInt32] = []
  /// By namespace and local name: the last tag that had it.
  var expandedStamps: [UInt32] = []
  var tagNumber: UInt32 = 0

  init(options: XMLOptions, encoding: DeclaredEncoding) {
    self.options = options
    self.encoding = encoding
  }
}

extension DocumentParser {
  /// Reads tokens, beginning at `p`, which is moved after the last complete one. `isFinal` means
  /// that the document ends where `document` does.
  mutating func parse<S: EventSink>(
    _ document: Span<UInt8>, from p: inout Int, isFinal: Bool, into sink: inout S
  ) throws(Failure) {
    while true {
      do throws(Failure) {
        if frames.isEmpty {
          guard try tokens(document, &p, &sink) else { break }
        } else {
          try entityTokens(&sink)
        }
      } catch {
        guard error.isEnd, frames.isEmpty, !isFinal else { throw error }
        return
      }
    }
    if isFinal { try finish(at: document.count) }
  }

  /// Reads from the document until it ends or an entity is entered; returns whether there is more
  /// to do.
  private mutating func tokens<S: EventSink>(
    _ document: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) -> Bool {
    while p < document.count {
      if phase == .content {
        if try content(document, &p, isDocument: true, &sink) { return true }
      } else {
        try outside(document, &p, &sink)
      }
    }
    return false
  }

  private mutating func entityTokens<S: EventSink>(_ sink: inout S) throws(Failure) {
    guard let frame = frames.last else { return }
    let text = type.entities[frame.entity].text
    var p = frame.position
    do throws(Failure) {
      let hasEntered = try content(text.span, &p, isDocument: false, &sink)
      if hasEntered {
        frames[frames.count - 2].position = p
        return
      }
    } catch {
      throw inEntity(error)
    }
    try leaveEntity()
  }

  private func inEntity(_ failure: Failure) -> Failure {
    var failure = failure
    failure.offset = referenceOffset
    if failure.isEnd {
      failure = Failure(.syntax, "an entity ends inside markup", at: referenceOffset)
    }
    return failure
  }

  private func finish(at end: Int) throws(Failure) {
    switch phase {
    case .epilog: return
    case .content: throw .end(at: end)
    case .start, .prolog:
      throw Failure(.unexpectedEnd, "the document ends before its root element", at: end)
    }
  }
}

/// The bytes that entities and attribute defaults have added so far.
struct ExpansionBudget: Sendable {
  /// Up to this number of bytes the ratio isn't checked, so small documents can use entities
  /// freely.
  static let free = 1 << 20

  var spent = 0

  /// Adds `size` bytes and a small constant for the work.
  mutating func spend(
    _ size: Int, documentSize: Int, limits: XMLOptions, at offset: Int
  ) throws(Failure) {
    spent += size + 4
    guard spent <= limits.maximumExpandedSize else {
      throw Failure(.limit, "entities and defaults expand to too much", at: offset)
    }
    if spent > ExpansionBudget.free, spent / limits.maximumExpansionRatio > documentSize {
      throw Failure(.limit, "entities and defaults expand out of proportion", at: offset)
    }
  }
}
