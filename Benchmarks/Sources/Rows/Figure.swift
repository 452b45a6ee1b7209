/// What one round tells about a row: what it cost somebody, or how that compares with another's.
public struct Figure: Hashable, Sendable {
  public let subject: Subject
  /// With whom it is compared; `nil` if it is a cost.
  public let rival: Subject?
  public let measure: Measure

  /// What the work cost.
  public static func cost(to subject: Subject, by measure: Measure) -> Figure {
    Figure(subject: subject, rival: nil, measure: measure)
  }

  /// What the work cost one for each unit that it cost another in the same round.
  public static func ratio(
    of subject: Subject, to rival: Subject, by measure: Measure
  ) -> Figure {
    Figure(subject: subject, rival: rival, measure: measure)
  }

  /// As it is called in the exported results.
  public var name: String {
    let who = rival.map { "\(subject.rawValue) / \($0.rawValue)" } ?? subject.rawValue
    return "\(who): \(measure.rawValue)"
  }

  /// A ratio, of the costs in the same round; `nil` if it is a cost, or if one of the two wasn't
  /// measured.
  public func ratio(in figures: [Figure: Double]) -> Double? {
    guard let rival, let ours = figures[.cost(to: subject, by: measure)],
      let theirs = figures[.cost(to: rival, by: measure)], theirs > 0
    else { return nil }
    return ours / theirs
  }
}

/// The median of each figure of each row, by name.
public typealias Medians = [String: [String: Double]]
