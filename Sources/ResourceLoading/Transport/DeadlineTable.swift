/// Which actions are due when, without the lock. Moments are nanoseconds since a beginning of its user's.
///
/// Deadlines are rounded up, by at most a 500th of the wait, and those of one moment kept together: most
/// are alike, and there are many. Nearly all are removed before they are due, so that both cost no more than
/// an element of an array.
struct DeadlineTable {
  typealias Action = @Sendable () -> Void

  /// Where an action is.
  struct Ticket: Hashable, Sendable {
    fileprivate let row: Int
    fileprivate let slot: Int
    fileprivate let number: UInt64
  }

  /// The actions of one moment.
  fileprivate struct Row {
    var moment: UInt64
    var actions: [(number: UInt64, action: Action)?] = []
    var freeSlots: [Int] = []

    var isEmpty: Bool { freeSlots.count == actions.count }
  }

  private var rows: [Row] = []
  private var freeRows: [Int] = []
  private var rowsByMoment: [UInt64: Int] = [:]
  /// The row that was added to last; the next one is alike more often than not.
  private var latest: Int?
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
    let earliest = earliest
    let row = row(of: moment)
    let slot = rows[row].enter(action, lastNumber)
    // No moment that was there is earlier than the earliest.
    let isFirst = earliest.map { moment < $0 } ?? true
    return (Ticket(row: row, slot: slot, number: lastNumber), isFirst)
  }

  /// In nanoseconds: a quarter of a millisecond, more or less.
  private static let smallestStep: UInt64 = 1 << 18

  /// The row of a moment, made if there is none.
  private mutating func row(of moment: UInt64) -> Int {
    if let latest, rows[latest].moment == moment { return latest }
    let row = rowsByMoment[moment] ?? makeRow(of: moment)
    latest = row
    return row
  }

  private mutating func makeRow(of moment: UInt64) -> Int {
    let row = freeRows.popLast() ?? rows.endIndex
    if row == rows.endIndex { rows.append(Row(moment: moment)) }
    rows[row].moment = moment
    rowsByMoment[moment] = row
    push(moment)
    return row
  }

  /// How many actions there is memory for.
  var capacity: Int { rows.reduce(0) { $0 + $1.actions.capacity } }

  /// Takes an action out; `nil` if it was due already.
  mutating func remove(_ ticket: Ticket) -> Action? { rows[ticket.row].remove(ticket) }

  /// Takes out what is due, and the moments for which nothing is left.
  mutating func takeDue(at now: UInt64) -> [Action] {
    var due: [Action] = []
    while let moment = moments.first, let row = rowsByMoment[moment],
      moment <= now || rows[row].isEmpty
    {
      due += rows[row].actions.compactMap(\.self).sorted { $0.number < $1.number }.map(\.action)
      rows[row] = Row(moment: 0)
      freeRows.append(row)
      rowsByMoment[moment] = nil
      if latest == row { latest = nil }
      pop()
    }
    return due
  }
}

extension DeadlineTable.Row {
  mutating func enter(_ action: @escaping DeadlineTable.Action, _ number: UInt64) -> Int {
    guard let slot = freeSlots.popLast() else {
      actions.append((number, action))
      return actions.endIndex - 1
    }
    actions[slot] = (number, action)
    return slot
  }

  mutating func remove(_ ticket: DeadlineTable.Ticket) -> DeadlineTable.Action? {
    guard ticket.slot < actions.count, let entry = actions[ticket.slot],
      entry.number == ticket.number
    else { return nil }
    actions[ticket.slot] = nil
    freeSlots.append(ticket.slot)
    // As a rule a load is alone, and the next one uses its memory again. What was needed for many goes at once: the
    // moment may be far away, and there are hundreds of rows by then.
    if isEmpty, actions.count > Self.keptActions { (actions, freeSlots) = ([], []) }
    return entry.action
  }

  /// How many actions an empty row may keep the memory of.
  private static var keptActions: Int { 8 }
}

// MARK: - The heap

extension DeadlineTable {
  private mutating func push(_ moment: UInt64) {
    var index = moments.endIndex
    moments.append(moment)
    while index > 0, moments[index] < moments[(index - 1) / 2] {
      moments.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func pop() {
    moments.swapAt(0, moments.endIndex - 1)
    moments.removeLast()
    var index = 0
    while let child = earlierChild(of: index), moments[child] < moments[index] {
      moments.swapAt(index, child)
      index = child
    }
  }

  private func earlierChild(of index: Int) -> Int? {
    let (one, other) = (2 * index + 1, 2 * index + 2)
    guard one < moments.endIndex else { return nil }
    return other < moments.endIndex && moments[other] < moments[one] ? other : one
  }
}

extension UInt64 {
  fileprivate var roundedUpToPowerOfTwo: UInt64 {
    self < 2 ? 1 : 1 << (UInt64(bitWidth) - UInt64((self - 1).leadingZeroBitCount))
  }
}
