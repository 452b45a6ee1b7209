/// Which actions are due when, without the lock. Moments are nanoseconds since a beginning of its user's.
///
/// Deadlines are rounded up, by at most a 500th of the wait, and those of one moment kept together: most
/// are alike, and there are many.
struct DeadlineTable {
  typealias Action = @Sendable () -> Void

  /// Where an action is.
  struct Ticket: Hashable, Sendable {
    fileprivate let moment: UInt64
    fileprivate let number: UInt64
  }

  private var actions: [UInt64: [UInt64: Action]] = [:]
  /// The moments that have actions, or had some; a heap with the earliest first.
  private var moments: [UInt64] = []
  private var lastNumber: UInt64 = 0
}

extension DeadlineTable {
  /// The earliest moment at which anything is due.
  var earliest: UInt64? { moments.first }

  /// Enters an action.
  ///
  /// - Returns: What it is removed by, and whether its moment is earlier than all others.
  mutating func add(
    _ action: @escaping Action, after wait: UInt64, now: UInt64
  ) -> (Ticket, isFirst: Bool) {
    let step = max(Self.smallestStep, wait >> 10).roundedUpToPowerOfTwo
    let moment = (now + wait + step - 1) / step * step
    lastNumber += 1
    let isNew = actions[moment] == nil
    actions[moment, default: [:]][lastNumber] = action
    let isFirst = isNew && earliest.map { moment < $0 } ?? true
    if isNew { push(moment) }
    return (Ticket(moment: moment, number: lastNumber), isFirst)
  }

  /// In nanoseconds: a quarter of a millisecond, more or less.
  private static let smallestStep: UInt64 = 1 << 18

  /// Takes an action out; `nil` if it was due already.
  mutating func remove(_ ticket: Ticket) -> Action? {
    actions[ticket.moment]?.removeValue(forKey: ticket.number)
  }

  /// Takes out what is due, and the moments for which nothing is left.
  mutating func takeDue(at now: UInt64) -> [Action] {
    var due: [Action] = []
    while let moment = moments.first, moment <= now || actions[moment]?.isEmpty == true {
      due +=
        actions.removeValue(forKey: moment).map { $0.sorted { $0.key < $1.key } }?
        .map(\.value) ?? []
      pop()
    }
    return due
  }
}

// MARK: - The heap

extension DeadlineTable {
  private mutating func push(_ moment: UInt64) {
    var place = moments.endIndex
    moments.append(moment)
    while place > 0, moments[place] < moments[(place - 1) / 2] {
      moments.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func pop() {
    moments.swapAt(0, moments.endIndex - 1)
    moments.removeLast()
    var place = 0
    while let child = earlierChild(of: place), moments[child] < moments[place] {
      moments.swapAt(place, child)
      place = child
    }
  }

  private func earlierChild(of place: Int) -> Int? {
    let (one, other) = (2 * place + 1, 2 * place + 2)
    guard one < moments.endIndex else { return nil }
    return other < moments.endIndex && moments[other] < moments[one] ? other : one
  }
}

extension UInt64 {
  fileprivate var roundedUpToPowerOfTwo: UInt64 {
    self < 2 ? 1 : 1 << (UInt64(bitWidth) - UInt64((self - 1).leadingZeroBitCount))
  }
}
