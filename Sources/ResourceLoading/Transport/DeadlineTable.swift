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
    fileprivate let place: Int
    fileprivate let number: UInt64
  }

  /// The actions of one moment.
  fileprivate struct Row {
    var moment: UInt64
    var actions: [(number: UInt64, action: Action)?] = []
    var freePlaces: [Int] = []

    var isEmpty: Bool { freePlaces.count == actions.count }
  }

  private var rows: [Row] = []
  private var freeRows: [Int] = []
  private var places: [UInt64: Int] = [:]
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
    let place = rows[row].enter(action, lastNumber)
    // No moment that was there is earlier than the earliest.
    let isFirst = earliest.map { moment < $0 } ?? true
    return (Ticket(row: row, place: place, number: lastNumber), isFirst)
  }

  /// In nanoseconds: a quarter of a millisecond, more or less.
  private static let smallestStep: UInt64 = 1 << 18

  /// The row of a moment, made if there is none.
  private mutating func row(of moment: UInt64) -> Int {
    if let latest, rows[latest].moment == moment { return latest }
    let row = places[moment] ?? makeRow(of: moment)
    latest = row
    return row
  }

  private mutating func makeRow(of moment: UInt64) -> Int {
    let row = freeRows.popLast() ?? rows.endIndex
    if row == rows.endIndex { rows.append(Row(moment: moment)) }
    rows[row].moment = moment
    places[moment] = row
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
    while let moment = moments.first, let row = places[moment], moment <= now || rows[row].isEmpty {
      due += rows[row].actions.compactMap(\.self).sorted { $0.number < $1.number }.map(\.action)
      rows[row] = Row(moment: 0)
      freeRows.append(row)
      places[moment] = nil
      if latest == row { latest = nil }
      pop()
    }
    return due
  }
}

extension DeadlineTable.Row {
  mutating func enter(_ action: @escaping DeadlineTable.Action, _ number: UInt64) -> Int {
    guard let place = freePlaces.popLast() else {
      actions.append((number, action))
      return actions.endIndex - 1
    }
    actions[place] = (number, action)
    return place
  }

  mutating func remove(_ ticket: DeadlineTable.Ticket) -> DeadlineTable.Action? {
    guard ticket.place < actions.count, let entry = actions[ticket.place],
      entry.number == ticket.number
    else { return nil }
    actions[ticket.place] = nil
    freePlaces.append(ticket.place)
    // As a rule a load is alone, and the next one uses its memory again. What was needed for many goes at once: the
    // moment may be far away, and there are hundreds of rows by then.
    if isEmpty, actions.count > Self.keptActions { (actions, freePlaces) = ([], []) }
    return entry.action
  }

  /// How many actions an empty row may keep the memory of.
  private static var keptActions: Int { 8 }
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
