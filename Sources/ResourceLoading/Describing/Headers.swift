/// Header fields in order, looked up by name without regard to case (RFC 9110 section 5).
public struct Headers: Sendable, Hashable {
  private var fields: [Field] = []

  /// Makes an empty collection.
  public init() {}

  init(_ fields: [Field]) { self.fields = fields }

  /// One header field.
  public struct Field: Sendable, Hashable {
    /// The name.
    public var name: Name
    /// The value, as it is sent.
    public var value: String

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value; line breaks and NUL are refused when it is loaded.
    public init(_ name: Name, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The value of a field: of several with that name joined by `", "` (RFC 9110 section 5.3), `nil` where
  /// there is none. Setting it replaces all of them; setting `nil` removes them.
  public subscript(name: Name) -> String? {
    get {
      guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
      let others = fields[(first + 1)...].filter { $0.name == name }
      guard !others.isEmpty else { return fields[first].value }
      return ([fields[first]] + others).map(\.value).joined(separator: ", ")
    }
    set {
      guard let newValue else { return fields.removeAll { $0.name == name } }
      guard let first = fields.firstIndex(where: { $0.name == name }) else {
        return fields.append(Field(name, newValue))
      }
      fields[first].value = newValue
      let kept = fields[...first]
      fields = kept + fields[(first + 1)...].filter { $0.name != name }
    }
  }

  /// The values of all fields with a name, in order.
  public func values(of name: Name) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }

  /// Adds a field behind the others, also where that name is there already.
  public mutating func append(_ name: Name, _ value: String) {
    fields.append(Field(name, value))
  }
}

extension Headers: RandomAccessCollection {
  /// The position of the first field, 0.
  public var startIndex: Int { fields.startIndex }
  /// The position behind the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at a 0-based position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension Headers: ExpressibleByDictionaryLiteral {
  /// Fields in the order of the literal; a name may stand in it more than once.
  public init(dictionaryLiteral elements: (Name, String)...) {
    fields = elements.map { Field($0.0, $0.1) }
  }
}
