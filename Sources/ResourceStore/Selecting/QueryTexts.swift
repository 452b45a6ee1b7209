/// The texts of queries by their shape, so that one that is asked again and again is written once.
struct QueryTexts {
  private static let limit = 128

  private var texts: [QueryShape: String] = [:]

  subscript(shape: QueryShape) -> String? {
    get { texts[shape] }
    set {
      if texts.count >= Self.limit { texts = [:] }
      var shape = shape
      // What users ask for isn't kept.
      shape.tree = shape.tree.withoutValues
      texts[shape] = newValue
    }
  }
}

// Values don't count.
extension QueryShape: Hashable {
  static func == (one: Self, other: Self) -> Bool {
    one.model == other.model && one.verb == other.verb && one.order == other.order
      && one.hasPage == other.hasPage && one.hasOffset == other.hasOffset
      && one.tree.hasShape(of: other.tree)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(model)
    hasher.combine(verb)
    hasher.combine(order)
    hasher.combine(hasPage)
    hasher.combine(hasOffset)
    tree.hashShape(into: &hasher)
  }
}

extension ConditionTree {
  fileprivate func hasShape(of other: ConditionTree) -> Bool {
    switch (self, other) {
    case (.compare(let column, let comparison, let value), .compare(let a, let b, let c)):
      column == a && comparison == b && value.shape == c.shape
    case (.isIn(let column, let values), .isIn(let a, let b)):
      column == a && values.elementsEqual(b) { $0.shape == $1.shape }
    case (.contains(let column, let text, let onlyAtStart), .contains(let a, let b, let c)):
      column == a && text.shape == b.shape && onlyAtStart == c
    case (.junction(let one), .junction(let other)):
      one.op == other.op && one.left.hasShape(of: other.left) && one.right.hasShape(of: other.right)
    case (.not(let tree, _), .not(let other, _)): tree.hasShape(of: other)
    case (.all, .all), (.tooDeep, .tooDeep): true
    default: false
    }
  }

  fileprivate func hashShape(into hasher: inout Hasher) {
    switch self {
    case .all: hasher.combine(0)
    case .compare(let column, let comparison, let value):
      hasher.combine(column)
      hasher.combine(comparison)
      hasher.combine(value.shape)
    case .isIn(let column, let values):
      hasher.combine(column)
      hasher.combine(values.count)
    case .contains(let column, _, let onlyAtStart):
      hasher.combine(column)
      hasher.combine(onlyAtStart)
    case .junction(let junction):
      hasher.combine(junction.op)
      junction.left.hashShape(into: &hasher)
      junction.right.hashShape(into: &hasher)
    case .not(let tree, _):
      hasher.combine(1)
      tree.hashShape(into: &hasher)
    case .tooDeep: hasher.combine(2)
    }
  }

  /// The same shape without what was asked for.
  fileprivate var withoutValues: ConditionTree {
    switch self {
    case .compare(let column, let comparison, let value):
      .compare(column, comparison, value.withoutValue)
    case .isIn(let column, let values): .isIn(column, values.map(\.withoutValue))
    case .contains(let column, let text, let onlyAtStart):
      .contains(column, text.withoutValue, onlyAtStart: onlyAtStart)
    case .junction(let junction): .junction(junction.withoutValues)
    case .not(let tree, let depth): .not(tree.withoutValues, depth: depth)
    case .all, .tooDeep: self
    }
  }
}

extension ConditionTree.Junction {
  fileprivate var withoutValues: Self {
    Self(
      op: op, left: left.withoutValues, right: right.withoutValues, depth: depth, height: height)
  }
}

extension Operand {
  fileprivate var withoutValue: Operand {
    switch shape {
    case .null: .value(.null)
    case .real: .value(.real(0))
    case .other: .value(.integer(0))
    case .notANumber: .notANumber
    case .invalid: .invalid("")
    }
  }
}
