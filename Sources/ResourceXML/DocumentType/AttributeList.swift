/// What the document type declares about the attributes of one element.
struct AttributeList: Sendable {
  struct Declaration: Sendable {
    var name: UInt32
    /// Whether values are normalised further, because the type isn't CDATA (section 3.3.3).
    var isTokenized: Bool
    /// The default value, normalised.
    var value: [UInt8]?
  }

  private(set) var declarations: [Declaration] = []
  private var positions: [UInt32: Int] = [:]

  /// Adds a declaration; the first one of a name is binding (section 3.3).
  mutating func declare(_ declaration: Declaration) {
    guard positions[declaration.name] == nil else { return }
    positions[declaration.name] = declarations.count
    declarations.append(declaration)
  }

  func isTokenized(_ name: UInt32) -> Bool {
    positions[name].map { declarations[$0].isTokenized } ?? false
  }
}
