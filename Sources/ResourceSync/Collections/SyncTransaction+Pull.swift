import Foundation
import ResourceJSON
import ResourceLoading
import ResourceOutbox
import ResourcePrimitives
import ResourceStore

/// Where a pull is, as it was when the request of a page began. Another pull of this or of another
/// process may be ahead of it.
struct SyncPlace: Sendable {
  var epoch: Int64
  var pull: Int64
  /// The time of the last answer to a write before it.
  var time: Int64
  var eTag: String?
  var position: SyncPosition

  /// A page of a pull.
  struct Page: Hashable {
    let pull: Int64
    let name: String?
  }

  /// The page at the place.
  var page: Page { page(position.page) }

  /// Returns a page of the same pull.
  func page(_ name: String?) -> Page { Page(pull: pull, name: name) }
}

/// A page that was loaded; without rows if nothing has changed.
struct LoadedSyncPage<Model: SyncedModel>: Sendable {
  var page: SyncPage<Model>?
  var eTag: String?
}

extension SyncTables.State {
  var place: SyncPlace {
    SyncPlace(
      epoch: epoch, pull: pull, time: time, eTag: page == nil ? eTag : nil,
      position: SyncPosition(cursor: cursor, page: page))
  }

  func isAt(_ place: SyncPlace) -> Bool {
    isPulling && epoch == place.epoch && pull == place.pull && page == place.position.page
  }
}

extension SyncTransaction {
  /// Begins a pull, or goes on with one that has been begun.
  func beginPull(anew: Bool = false, forgettingCursor: Bool = false) throws -> SyncPlace {
    try settle()
    var state = try tables.state()
    guard !state.isPulling || anew else { return state.place }
    if forgettingCursor { (state.cursor, state.eTag) = (nil, nil) }
    state.pull &+= 1
    (state.isPulling, state.isIncomplete, state.began, state.page) = (true, false, state.time, nil)
    state.isListing = options.pull?.isListing == true || forgettingCursor
    try tables.removeListed()
    try tables.removeAnswered()
    try tables.set(state)
    return state.place
  }

  /// Stores a page, and returns the place of the next one; `nil` after the last one, and if the
  /// collection was emptied in the meantime.
  func take(_ loaded: LoadedSyncPage<Model>, from place: SyncPlace) throws -> SyncPlace? {
    try settle()
    var state = try tables.state()
    guard state.isAt(place) else {
      return state.epoch == place.epoch && state.isPulling ? state.place : nil
    }
    guard let page = loaded.page else { return try end(state) }
    let isWhole = try take(page, from: place)
    state = try tables.state()
    state.isIncomplete = state.isIncomplete || !isWhole
    if state.isListing { try tables.addListed(text(page.rows.map(\.id))) }
    if let next = page.next {
      state.page = next
      try tables.set(state)
      return state.place
    }
    if state.isListing { try tables.deleteUnlisted(column: Self.idColumn, since: state.began) }
    state.eTag = state.page == nil && !state.isIncomplete ? loaded.eTag : nil
    if !state.isIncomplete { state.cursor = page.cursor ?? state.cursor }
    return try end(state)
  }

  private func end(_ state: SyncTables.State) throws -> SyncPlace? {
    var state = state
    (state.isPulling, state.page, state.pulled) = (false, nil, outbox.date)
    try tables.removeListed()
    try tables.set(state)
    tables.notify()
    return nil
  }

  private func text(_ ids: [Model.ID]) throws -> String {
    let values = try ids.map { ListedID(stored: try StoredValue(encoding: $0)) }
    return String(decoding: try JSONWriter().encode(values), as: UTF8.self)
  }
}

/// An id in JSON as its column has it, which isn't always how the id encodes itself.
private struct ListedID: Encodable {
  let stored: StoredValue

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch stored {
    case .integer(let number): try container.encode(number)
    case .real(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .blob, .null: try container.encodeNil()
    }
  }
}

extension SyncTransaction {
  /// Stores the rows of a page; returns whether none had to be passed over.
  private func take(_ page: SyncPage<Model>, from place: SyncPlace) throws -> Bool {
    guard try !tables.isEmpty else {
      try transaction.upsert(page.rows)
      for id in page.removed { try show(nil, at: id) }
      return true
    }
    let known = try tables.rows(among: text(page.rows.map(\.id) + page.removed))
    var (plain, gone, isWhole) = ([Model](), [Model.ID](), true)
    for model in page.rows {
      guard let row = known[try StoredValue(encoding: model.id)] else {
        plain.append(model)
        continue
      }
      isWhole = try take(model, at: model.id, row, place) && isWhole
    }
    for id in page.removed {
      guard let row = known[try StoredValue(encoding: id)] else {
        gone.append(id)
        continue
      }
      isWhole = try take(nil, at: id, row, place) && isWhole
    }
    if !(plain.isEmpty && gone.isEmpty), try isCreating {
      // One that isn't shown may be the row whose answer hasn't come, even if it was removed since.
      let shown = try tables.ids(among: text(plain.map(\.id) + gone), column: Self.idColumn)
      let count = plain.count + gone.count
      plain = try plain.filter { shown.contains(try StoredValue(encoding: $0.id)) }
      gone = try gone.filter { shown.contains(try StoredValue(encoding: $0)) }
      isWhole = isWhole && plain.count + gone.count == count
    }
    try transaction.upsert(plain)
    for id in gone { try show(nil, at: id) }
    return isWhole
  }

  /// Takes over what the server has of a row that was written here; returns whether it could be.
  private func take(
    _ theirs: Model?, at id: Model.ID, _ row: SyncTables.Row, _ place: SyncPlace
  ) throws -> Bool {
    guard row.answered <= place.time else { return false }
    guard row.isWaiting else {
      try show(theirs, at: id)
      return true
    }
    let entries = try entries(of: row)
    guard entries.allSatisfy({ $0.isReplaceable || $0.state == .uncertain }) else { return false }
    try rebase(row, at: id, on: theirs, entries)
    return true
  }

  /// Whether rows to which the server gives ids may be on their way.
  private var isCreating: Bool {
    get throws {
      guard Model.ID.self == ServerID.self else { return false }
      return try outbox.entries(ofKinds: Self.kind).contains { entry in
        guard !entry.isReplaceable, entry.state != .uncertain,
          let id = try write(of: entry.payload)?.id as? ServerID
        else { return false }
        return id.isLocal
      }
    }
  }
}

// Conflicts.
extension SyncTransaction {
  /// A conflict about which somebody has to decide.
  struct Decision: Sendable {
    let id: Model.ID
    let conflict: SyncConflict<Model>
    let entries: [OutboxEntry.ID]
  }

  /// Bases the writes of a row, none of which is on its way, on what the server has.
  ///
  /// - Returns: The decision that is needed for that; `nil` for none.
  @discardableResult
  func rebase(
    _ row: SyncTables.Row, at id: Model.ID, on theirs: Model?, _ entries: [OutboxEntry]
  ) throws -> Decision? {
    let (base, mine) = (try model(row.base), try shown(id))
    // It was refused although the server has nothing new, so the same would be refused again.
    if try entries.first?.state == .parked && merging.isEqual(base, theirs)
      && !merging.isSame(theirs, mine)
    {
      return nil
    }
    switch try merging.merge(base: base, mine: mine, theirs: theirs) {
    case .merged(let merged):
      try store(merged, over: theirs, row, at: id, entries)
      return nil
    case .conflict:
      var row = row
      row.theirs = try data(theirs) ?? Data()
      try tables.set(row)
      if let first = entries.first, first.state == .waiting {
        try outbox.park(first, .syncConflict)
      }
      return Decision(
        id: id, conflict: SyncConflict(base: base, mine: mine, theirs: theirs),
        entries: entries.map(\.id))
    }
  }

  /// Shows a row, and sends how it differs from what the server has.
  private func store(
    _ merged: Model?, over theirs: Model?, _ row: SyncTables.Row, at id: Model.ID,
    _ entries: [OutboxEntry]
  ) throws {
    var row = row
    (row.base, row.theirs) = (try data(theirs), nil)
    try tables.set(row)
    if try merging.isSame(theirs, merged) {
      // Nothing remains to be sent. The last one shows the base.
      for entry in entries.reversed() { try outbox.drop(entry) }
      return
    }
    // What was refused for another reason is sent when the user says so.
    guard let first = entries.first, first.state == .waiting || first.isConflict else {
      return try show(merged, at: id)
    }
    for entry in entries.dropFirst().reversed() { try outbox.drop(entry) }
    try show(merged, at: id)
    try send(merged, at: id, row, [first])
  }

  /// Bases the writes of a row on what the server has now, unless a pull has brought that.
  func rebase(_ failure: SyncFailure<Model>, on theirs: Model?) throws -> Decision? {
    try settle()
    guard let row = try tables.row(of: failure.key) else { return nil }
    let entries = try entries(of: row)
    guard entries.contains(where: { $0.id == failure.id }),
      entries.allSatisfy({ $0.isReplaceable || $0.state == .uncertain })
    else { return nil }
    let theirs = if let pulled = row.theirs { try model(pulled) } else { theirs }
    return try rebase(touched(row), at: failure.rowID, on: theirs, entries)
  }

  /// Decides a conflict unless something has changed in the meantime; returns whether it is over.
  func decide(_ decision: Decision, _ result: Model?) throws -> Bool {
    try settle()
    guard let row = try tables.row(StoredValue(encoding: decision.id)), row.isWaiting else {
      return true
    }
    let (entries, theirs) = (try entries(of: row), decision.conflict.theirs)
    guard entries.map(\.id) == decision.entries,
      try merging.isSame(shown(decision.id), decision.conflict.mine),
      try merging.isEqual(model(row.theirs), theirs)
    else { return false }
    try store(
      result.map { merging.carrying($0, from: theirs) }, over: theirs, try touched(row),
      at: decision.id, entries)
    return true
  }

  /// Lets older responses not count for a row from now on.
  func touched(_ row: SyncTables.Row) throws -> SyncTables.Row {
    var (row, state) = (row, try tables.state())
    state.time &+= 1
    row.answered = state.time
    try tables.set(state)
    return row
  }
}

// What the user decides.
extension SyncTransaction {
  /// Returns what is to be decided about an entry; `nil` for nothing.
  func failure(_ entry: OutboxEntry) throws -> SyncFailure<Model>? {
    guard [.parked, .uncertain].contains(entry.state), let row = try tables.row(of: entry.key),
      let write = try write(of: entry.payload)
    else { return nil }
    let error = entry.error ?? LoadError(.outbox, "the write wasn't answered")
    let (base, status) = (try model(row.base), error.response?.status.rawValue)
    let mine = try shown(write.id)
    var known: Model?? = nil
    if let theirs = row.theirs {
      known = .some(try model(theirs))
    } else if status == 404 || status == 410 {
      // An answer to a creation doesn't tell of the row, but a removed one needs none.
      known = base == nil && mine != nil ? nil : .some(nil)
    } else if let body = error.response?.body, !body.hasReplacedSecrets {
      let decoder = outbox.client.configuration.decoder
      let found = try? decoder.decode(Model.self, from: body)
      if try found.map({ try StoredValue(encoding: $0.id) }) == row.id { known = found }
    }
    return SyncFailure(
      id: entry.id, rowID: write.id,
      conflict: SyncConflict(base: base, mine: mine, theirs: known ?? base), error: error,
      key: entry.key, known: known, isConflict: entry.isConflict)
  }

  /// Sends a row as it is shown, whatever the server has.
  func retry(_ failure: SyncFailure<Model>) throws {
    try settle()
    guard let row = try tables.row(of: failure.key),
      let entry = try outbox.entry(failure.id)
    else { return }
    guard entry.state == .parked else { return try outbox.retry(entry) }
    let base = try model(row.theirs ?? row.base)
    var changed = row
    (changed.base, changed.theirs) = (try data(base), nil)
    try tables.set(changed)
    let mine = try shown(failure.rowID).map { merging.carrying($0, from: base) }
    for later in try entries(of: row).dropFirst().reversed() {
      try outbox.drop(later)
    }
    try show(mine, at: failure.rowID)
    try send(mine, at: failure.rowID, changed, entries(of: row))
  }

  /// Shows a row as the server has it, and sends nothing.
  func drop(_ failure: SyncFailure<Model>) throws {
    try settle()
    guard let row = try tables.row(of: failure.key),
      try outbox.entry(failure.id) != nil
    else { return }
    for entry in try entries(of: row).reversed() { try outbox.drop(entry) }
  }

  /// Removes everything of an account.
  func removeAll() throws {
    var state = try tables.state()
    state = SyncTables.State(
      epoch: state.epoch &+ 1, time: state.time &+ 1, pull: state.pull &+ 1)
    try tables.set(state)
    tables.notify()
    try tables.removeRows()
    try tables.removeListed()
    try outbox.removeAll(ofKinds: Self.kind)
    try transaction.delete(Model.self, where: .all)
  }
}

extension Data {
  /// Whether an error has replaced values in it. They would be taken for the server's.
  fileprivate var hasReplacedSecrets: Bool {
    firstRange(of: Data(Secrets.replacement.utf8)) != nil
  }
}

extension LoadError {
  static var pagesInCircle: LoadError {
    LoadError(
      .paging, "the next page was already loaded",
      advice: "Report the loop to the developers of the server")
  }

  static var syncConflict: LoadError {
    LoadError(
      .conflict, "the row was changed here and on the server",
      advice: "Decide by the option conflict, or let the user decide: retry or drop the failure")
  }
}
