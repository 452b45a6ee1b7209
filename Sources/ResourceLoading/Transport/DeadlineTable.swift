/// The state of a ``DeadlineQueue``: actions and when they are due. Times are nanoseconds since a beginning that the
/// caller chooses.
///
/// Deadlines are rounded up, by at most a 500th of the wait, and those of one time are stored together, because there are
/// many similar ones. So adding and removing one costs no more than an element of an array.
struct DeadlineTable {
  typealias Action = @Sendable () -> Void

  /// The position of an action.
  struct Ticket: Hashable, Sendable {
    fileprivate let row: Int
    fileprivate let slot: Int
    fileprivate let number: UInt64
  }

  /// An action and its number, by which a ticket recognises it.
  struct Entry: Sendable {
    let action: Action
    fileprivate let number: UInt64
  }

  /// The actions of one time.
  fileprivate struct Row {
    var moment: UInt64
    var actions: [Entry?] = []
    var freeSlots: [Int] = []

    var isEmpty: Bool { freeSlots.count == actions.count }
  }

  private var rows: [Row] = []
  private var freeRows: [Int] = []
  private var rowsByMoment: [UInt64: Int] = [:]
  /// The row that was added to last, to which the next action usually belongs as well.
  private var latest: Int?
  /// The times that have or had actions: a heap with the earliest first.
  private var moments: [UInt64] = []
  private var lastNumber: UInt64 = 0
}

extension DeadlineTable {
  /// The earliest time at which an action is due.
  var earliest: UInt64? { moments.first }

  /// Adds an action.
  ///
  /// - Returns: The position for removing it, and whether its time is earlier than all others.
  mutating func add(
    _ action: @escaping Action, after wait: UInt64, now: UInt64
  ) -> (Ticket, isFirst: Bool) {
    let step = max(Self.smallestStep, wait >> 10).roundedUpToPowerOfTwo
    let moment = (now + wait + step - 1) / step * step
    lastNumber += 1
    let earliest = earliest
    let row = row(of: moment)
    let slot = rows[row].enter(Entry(action: action, number: lastNumber))
    // A time that was there is no earlier than the earliest.
    let isFirst = earliest.map { moment < $0 } ?? true
    return (Ticket(row: row, slot: slot, number: lastNumber), isFirst)
  }

  /// About a quarter of a millisecond, in nanoseconds.
  private static let smallestStep: UInt64 = 1 << 18

  /// Returns the row of a time, and creates it if there is none.
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

  /// The number of actions for which there is memory.
  var capacity: Int { rows.reduce(0) { $0 + $1.actions.capacity } }

  /// Removes an action; `nil` if it was due already.
  mutating func remove(_ ticket: Ticket) -> Entry? { rows[ticket.row].remove(ticket) }

  /// Removes the actions that are due, and times without actions.
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
  mutating func enter(_ entry: DeadlineTable.Entry) -> Int {
    guard let slot = freeSlots.popLast() else {
      actions.append(entry)
      return actions.endIndex - 1
    }
    actions[slot] = entry
    return slot
  }

  mutating func remove(_ ticket: DeadlineTable.Ticket) -> DeadlineTable.Entry? {
    guard ticket.slot < actions.count, let entry = actions[ticket.slot],
      entry.number == ticket.number
    else { return nil }
    actions[ticket.slot] = nil
    freeSlots.append(ticket.slot)
    // Usually there is one load at a time, and the next one uses its memory again. The memory of many is freed at once,
    // because the time may be far away, and there are hundreds of rows by then.
    if isEmpty, actions.count > Self.keptActions { (actions, freeSlots) = ([], []) }
    return entry
  }

  /// The number of actions whose memory an empty row may keep.
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
