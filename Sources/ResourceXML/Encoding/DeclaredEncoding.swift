internal import ResourceLoading

/// Where a document's encoding is known from, to hold the XML declaration against it.
struct DeclaredEncoding: Sendable {
  enum Source: Sendable {
    /// The caller, from the HTTP header. What the document says doesn't count then (RFC 7303).
    case external
    /// A byte order mark.
    case mark
    /// The look of `<?` in UTF-16.
    case pattern
    /// The XML declaration.
    case declaration
    /// Nothing at all.
    case fallback
  }

  var encoding = TextEncoding.utf8
  var source = Source.fallback

  /// Takes the encoding that the XML declaration names.
  ///
  /// - Throws: A mismatch when the document is in another one (section 4.3.3).
  func check(_ label: String, at offset: Int) throws(Failure) {
    switch source {
    case .external, .declaration: return
    case .mark, .pattern, .fallback: break
    }
    if TextEncoding(label: label) == encoding { return }
    if case .utf16 = encoding, TextEncoding.isUnmarkedUTF16(label) { return }
    throw Failure(
      .encodingMismatch, "the document isn't in the encoding it declares", at: offset, name: label)
  }

  /// Takes the absence of an encoding declaration.
  ///
  /// - Throws: A mismatch when the document would need one.
  func checkAbsence(at offset: Int) throws(Failure) {
    guard source == .pattern else { return }
    throw Failure(
      .encodingMismatch, "UTF-16 has neither a byte order mark nor a declaration", at: offset)
  }
}
