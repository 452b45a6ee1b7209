import Foundation
import ResourceJSON
import ResourceLoading
import ResourceOutbox
import ResourceStore

/// A collection in an open transaction.
///
/// The model's table holds what is shown. A row with writes on their way has in addition what the
/// server had last, its base, and usually one entry in the outbox, which sends the difference. A
/// row that is written again while its entry is being sent has a second one behind it.
struct SyncTransaction<Model: SyncedModel> {
  let options: SyncOptions<Model>
  let outbox: OutboxTransaction

  var transaction: ModelTransaction { outbox.models }
  var connection: ModelConnection { outbox.connection }
  var tables: SyncTables { SyncTables(connection: connection, name: Model.table) }
  var merging: SyncMerge<Model> { SyncMerge(version: options.version) }

  static var kind: String { "sync:\(Model.table)/" }

  static var idColumn: String { Model.keys.first?.columns.first ?? "id" }

  static func key(of id: Model.ID) throws -> OutboxKey {
    switch try StoredValue(encoding: id) {
    case .integer(let number): OutboxKey(rawValue: "\(kind)\(number)")
    case .text(let text): OutboxKey(rawValue: "\(kind)\(text)")
    default:
      throw LoadError(
        .store, "an id of \(Model.self) is neither a number nor a text",
        advice: "Use UUID, Int, String or ServerID")
    }
  }
}

/// A write in the form in which it is stored with its entry.
struct SyncWrite<Model: SyncedModel>: Codable {
  var id: Model.ID
  /// The row as it is sent; `nil` for a removal.
  var model: Model?
}

extension OutboxEntry {
  /// Whether it certainly hasn't reached the server, or was refused, so that another one can take
  /// its place.
  var isReplaceable: Bool { state == .parked || state == .waiting && !hasBegun }

  /// Whether it may take effect at any time.
  var isOnItsWay: Bool { state == .sending || state == .waiting && hasBegun }

  /// Whether it was refused because of what the server has.
  var isConflict: Bool {
    guard state == .parked, let error else { return false }
    return error.kind == .conflict
      || error.response.map { [404, 409, 410, 412].contains($0.status.rawValue) } ?? false
  }
}

// What is stored.
extension SyncTransaction {
  func shown(_ id: Model.ID) throws -> Model? { try transaction.first(where: Model.id == id) }

  func show(_ model: Model?, at id: Model.ID) throws {
    if let model {
      try transaction.upsert(model)
    } else {
      try transaction.delete(Model.self, where: Model.id == id)
    }
  }

  /// Decodes a row that was kept; `nil` if it can't be read anymore.
  func model(_ data: Data?) throws -> Model? {
    guard let data, !data.isEmpty else { return nil }
    return try? SyncJSON.decode(Model.self, from: outbox.resolved(data))
  }

  func data(_ model: Model?) throws -> Data? { try model.map { try SyncJSON.encode($0) } }

  func write(of payload: Data?) throws -> SyncWrite<Model>? {
    guard let payload else { return nil }
    let resolved = try outbox.resolved(payload)
    return try? SyncJSON.decode(SyncWrite<Model>.self, from: resolved)
  }

  func entries(of row: SyncTables.Row) throws -> [OutboxEntry] {
    try outbox.entries(of: row.key)
  }
}

// What the user changes.
extension SyncTransaction {
  /// Shows a row, or `nil` for none, and sends it.
  func set(_ new: Model?, at id: Model.ID) throws {
    try settle()
    let shown = try shown(id)
    let stored = try StoredValue(encoding: id)
    let row = try tables.row(stored)
    let isWaiting = row?.isWaiting == true
    let base = try isWaiting ? model(row?.theirs ?? row?.base) : shown
    let new = new.map { merging.carrying($0, from: base) }
    guard try isWaiting || !merging.isSame(shown, new) else { return }
    let key = try (isWaiting ? row?.key : nil) ?? Self.key(of: id)
    var changed = SyncTables.Row(id: stored, key: key)
    // Who writes over a conflict has decided it.
    (changed.base, changed.answered) = (try data(base), row?.answered ?? 0)
    try tables.set(changed)
    try show(new, at: id)
    try send(new, at: id, changed, entries(of: changed))
  }

  /// Lets the last entry of a row send what is shown, or adds one.
  func send(
    _ new: Model?, at id: Model.ID, _ row: SyncTables.Row, _ entries: [OutboxEntry]
  ) throws {
    guard let last = entries.last else {
      return try add(from: model(row.base), to: new, at: id, row)
    }
    let before = try entries.dropLast().last.flatMap { try write(of: $0.payload) }
    guard last.isReplaceable else {
      return try add(from: write(of: last.payload)?.model, to: new, at: id, row)
    }
    let base = try before.map(\.model) ?? model(row.base)
    if let write = try write(from: base, to: new, at: id, row.key) {
      try outbox.replace(last, by: write)
    } else {
      try outbox.drop(last)
    }
  }

  private func add(
    from base: Model?, to new: Model?, at id: Model.ID, _ row: SyncTables.Row
  ) throws {
    guard var write = try write(from: base, to: new, at: id, row.key) else { return }
    write.after = new.map(options.after) ?? []
    try outbox.add(write)
  }

  /// Returns the write that brings a row on the server from one state to another; `nil` if both are
  /// the same.
  private func write(
    from base: Model?, to new: Model?, at id: Model.ID, _ key: OutboxKey
  ) throws -> OutboxWrite? {
    guard try !merging.isSame(base, new) else { return nil }
    var request = try request(from: base, to: new)
    if let base, let version = options.version?.condition(base) {
      request.headers[.ifMatch] = version
    }
    if new == nil { request.options.acceptedStatuses = Self.removed }
    var write = OutboxWrite(request, as: key)
    (write.kind, write.needsHandler, write.isCreation) = (Self.kind, true, base == nil)
    if base == nil, let placeholder = (id as? ServerID)?.placeholder {
      write.placeholders[placeholder] = options.idSource
    }
    write.payload = try SyncJSON.encode(SyncWrite(id: id, model: new))
    return write
  }

  private static var removed: Request.AcceptedStatuses {
    .successful.union([Status(rawValue: 404), Status(rawValue: 410)])
  }

  private func request(from base: Model?, to new: Model?) throws -> Request {
    switch (base, new) {
    case (nil, let new?):
      if let create = options.create { return try create(withoutLocalID(new)) }
    case (_, let new?): if let update = options.update { return try update(new) }
    case (let base?, nil): if let remove = options.remove { return try remove(base) }
    case (nil, nil): break
    }
    throw LoadError(
      .invalidRequest, "the collection of \(Model.self) has no request for this change",
      advice: "Set create, update and remove of its options")
  }
}

// What becomes of the writes.
extension SyncTransaction {
  /// Catches up with entries that ended where the collection wasn't open.
  func settle() throws {
    for record in try outbox.records(ofKinds: Self.kind, after: 0) {
      try outbox.removeRecord(record.number)
      try ended(record.key, record.payload, record.answer, number: nil)
    }
  }

  /// Takes over what the server has answered to a write, or takes the write back if it was given up
  /// or dropped. The entry may still be in the table.
  func ended(_ key: OutboxKey, _ payload: Data?, _ answer: Response?, number: Int64?) throws {
    guard let row = try tables.row(of: key), let write = try write(of: payload) else { return }
    let rest = try entries(of: row).filter { $0.number != number }
    if let answer { return try answered(write, answer, row, rest) }
    guard let last = rest.last else {
      return try end(row, at: write.id, as: model(row.theirs ?? row.base))
    }
    if let number, last.number < number {
      try show(self.write(of: last.payload)?.model, at: write.id)
    } else if last.isReplaceable {
      try send(shown(write.id), at: write.id, row, [last])
    }
  }

  private func answered(
    _ write: SyncWrite<Model>, _ answer: Response, _ row: SyncTables.Row, _ rest: [OutboxEntry]
  ) throws {
    let read = write.model == nil ? nil : try? read(answer)
    let given = givenID(write.id, answer) as? Model.ID
    let id = given ?? read?.id ?? write.id
    let row = try moved(row, to: id)
    var server = try write.model.map { try moved($0, to: id) }
    let sent = server
    server = read ?? server
    if var model = server {
      options.version?.read(answer, &model)
      server = model
    }
    guard let last = rest.last else { return try end(row, at: id, as: server) }
    var merged = server
    if case .merged(let model) = try merging.merge(
      base: sent, mine: shown(id), theirs: server, prefersMine: true)
    {
      merged = model
    }
    let changed = try set(row, base: server)
    try show(merged, at: id)
    if last.isReplaceable { try send(merged, at: id, changed, [last]) }
  }

  /// Reads the row of an answer; `nil` if it has none.
  private func read(_ answer: Response) throws -> Model? {
    if let read = options.answer { return try read(answer) }
    guard !answer.body.isEmpty else { return nil }
    let decoder = outbox.client.configuration.decoder
    return try Resource<Model>(json: .get("/"), decoder: decoder).parser(answer)
  }

  /// The id that the server has given to a row.
  private func givenID(_ id: Model.ID, _ answer: Response) -> ServerID? {
    guard (id as? ServerID)?.isLocal == true, let json = options.idSource.value(in: answer) else {
      return nil
    }
    return try? SyncJSON.decode(ServerID.self, from: json)
  }

  /// Gives a row the id under which the server has it.
  private func moved(_ row: SyncTables.Row, to id: Model.ID) throws -> SyncTables.Row {
    let stored = try StoredValue(encoding: id)
    guard stored != row.id else { return row }
    try tables.rename(row.id, to: stored, column: Self.idColumn)
    return try tables.row(stored) ?? row
  }

  private func moved(_ model: Model, to id: Model.ID) throws -> Model {
    guard try StoredValue(encoding: id) != StoredValue(encoding: model.id),
      case .object(var fields) = try JSONValue(parsing: SyncJSON.encode(model))
    else { return model }
    fields[Self.idColumn] = try JSONValue(parsing: SyncJSON.encode(id))
    return try SyncJSON.decode(Model.self, from: SyncJSON.encode(JSONValue.object(fields)))
  }

  /// A request must not wait for the id that its own answer has.
  private func withoutLocalID(_ model: Model) throws -> Model {
    guard (model.id as? ServerID)?.isLocal == true, let none = ServerID.none as? Model.ID else {
      return model
    }
    return try moved(model, to: none)
  }

  /// Notes what the server has now of a row. Older responses don't count from now on.
  @discardableResult
  func set(
    _ row: SyncTables.Row, base: Model?, isWaiting: Bool = true
  ) throws -> SyncTables.Row {
    var row = try touched(row)
    (row.base, row.theirs, row.isWaiting) = (try data(base), nil, isWaiting)
    try tables.set(row)
    return row
  }

  /// Shows what the server has of a row of which nothing waits anymore.
  func end(_ row: SyncTables.Row, at id: Model.ID, as server: Model?) throws {
    try show(server, at: id)
    try set(row, base: nil, isWaiting: false)
  }
}
