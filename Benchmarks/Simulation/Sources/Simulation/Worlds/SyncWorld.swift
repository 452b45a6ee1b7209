import CSimulation
import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceSync

/// Three devices that sync a table with one server, offline and online, in processes that die
/// together.
final class SyncWorld: ProcessesWorld, @unchecked Sendable {
  private lazy var items = SyncServer(self)
  private var diaries: [Diary] = (0..<3).map { _ in Diary() }
  private var lastValue = 0
  private let decides = chance(500)

  override var server: Server { items }

  /// What a device has been promised.
  private final class Diary: @unchecked Sendable {
    /// The values of each field by marks, of changes that were acknowledged and that nobody has
    /// been told are undone.
    var own: [Int: [Int?]] = [:]
    /// All values that it has written, acknowledged or not.
    var written: Set<Int> = []
    /// The marks of rows that it has removed, and of those that it may have removed.
    var removed: Set<Int> = []
    var maybeRemoved: Set<Int> = []
    /// How often somebody has decided about a row. A decision may come between a commit and the
    /// moment at which the one who has written learns of it.
    var decisions: [Int: Int] = [:]

    func forget(_ mark: Int) {
      decisions[mark, default: 0] += 1
      own[mark] = nil
      removed.remove(mark)
    }
  }

  private final class Device: @unchecked Sendable {
    let name: String
    let diary: Diary
    let store: SQLiteStore
    let outbox: Outbox
    let collection: SyncedCollection<Item>

    init(
      _ name: String, _ diary: Diary, _ store: SQLiteStore, _ outbox: Outbox,
      _ collection: SyncedCollection<Item>
    ) {
      (self.name, self.diary, self.store) = (name, diary, store)
      (self.outbox, self.collection) = (outbox, collection)
    }
  }

  override func live(_ process: UInt32, isLast: Bool) {
    items.honoursIdempotencyKeys = true
    isRepeatable = true
    let steps = 3 + pick(10)
    Task { [self] in
      do {
        var devices: [Device] = []
        for number in 0..<3 { devices.append(try await begin(number)) }
        note("process \(process) has begun")
        let all = devices
        await withTaskGroup(of: Void.self) { group in
          for device in all {
            group.addTask { [self] in
              for _ in 0..<steps {
                try? await SimulatedClock().sleep(for: .milliseconds(pick(1500)))
                await act(in: device)
              }
            }
          }
        }
        guard isLast else { return }
        try await settle(all)
        isClosed = true
      } catch {
        note("process \(process): \(error)")
        if isLast { violate(.opensAgain, "\(error)") }
      }
    }
  }

  override func finish() {
    for (mark, fields) in items.history {
      for field in fields { checkOrder(of: mark, field) }
    }
  }

  private func begin(_ number: Int) async throws -> Device {
    let (name, diary) = ("device \(number)", diaries[number])
    let store = try await openStore("device-\(number)")
    let transport = SimulatedTransport(server)
    let client = Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = transport
      $0.clock = SimulatedClock()
      $0.options.timeout = .seconds(5)
      $0.headers["X-Device"] = name
    }
    let outbox = try await openOutbox(over: store, with: client, concurrency: 1 + pick(3))
    // The outbox may send what an earlier process has left before the collection is there.
    if chance(300) { try await SimulatedClock().sleep(for: .milliseconds(pick(1000))) }
    let collection = try await SyncedCollection<Item>(outbox) { configure(&$0, name, diary) }
    return Device(name, diary, store, outbox, collection)
  }

  private func configure(_ options: inout SyncOptions<Item>, _ name: String, _ diary: Diary) {
    let (givesIDs, isListing) = (items.givesIDs, items.isListing)
    let page: @Sendable (SyncPosition) -> Resource<SyncPage<Item>> = { position in
      var request = Request.get("/items")
      if !isListing, let cursor = position.cursor { request.query.append(["since": cursor]) }
      if let page = position.page { request.query.append(["from": page]) }
      return Resource<SyncServer.Page>(json: request).map {
        SyncPage(rows: $0.items, removed: $0.removed, next: $0.next, cursor: $0.cursor)
      }
    }
    options.pull = isListing ? .listing(page) : .changes(page)
    options.create = { item in
      var item = item
      if givesIDs { item.id = ServerID("new") }
      return .post("/items").json(item)
    }
    let version: @Sendable (Item) -> Headers = { ["X-Version": $0.version.map { "\($0)" } ?? ""] }
    options.update = { .put("/items/\($0.id)").headers(version($0)).json($0) }
    options.remove = { .delete("/items/\($0.id)").headers(version($0)) }
    if items.checksVersions { options.version = .column(\.version) }
    if chance(300) { options.interval = .seconds(5) }
    guard decides else { return }
    let box = Shared(diary)
    options.conflict = { [unowned self] conflict in
      guard let mark = (conflict.mine ?? conflict.theirs ?? conflict.base)?.mark else { return nil }
      note("\(name) decides about \(mark)")
      if conflict.mine != nil { box.value.forget(mark) }
      guard conflict.mine != nil, let theirs = conflict.theirs else { return nil }
      return chance(500) ? theirs : conflict.mine
    }
  }
}

// MARK: - The devices

extension SyncWorld {
  private func act(in device: Device) async {
    switch pick(100) {
    case ..<30: await create(in: device)
    case ..<55: await edit(in: device)
    case ..<65: await remove(in: device)
    case ..<80: Task { try? await device.collection.sync() }
    case ..<84:
      items.cut = Set(["device 0", "device 1", "device 2"].filter { _ in chance(300) })
      note("the network doesn't reach \(items.cut.sorted())")
    case ..<87: sim_advance(Nanoseconds(pick(200)) * second)
    case ..<90: await signOut(device)
    default: await decide(in: device)
    }
    await check(device)
  }

  private func nextValue(_ diary: Diary) -> Int {
    lastValue += 1
    diary.written.insert(lastValue)
    return lastValue
  }

  private var isAlive: Bool { sim_disk_is_dead() == 0 }

  private func create(in device: Device) async {
    let (a, b) = (nextValue(device.diary), nextValue(device.diary))
    let id = items.givesIDs ? ServerID() : ServerID("c\(a)")
    do {
      try await device.collection.save(Item(id: id, mark: a, a: a, b: b))
      guard isAlive, device.diary.decisions[a] == nil else { return }
      device.diary.own[a] = [a, b]
      note("\(device.name) creates \(a)")
    } catch { note("\(device.name) doesn't create \(a): \(error)") }
  }

  private func edit(in device: Device) async {
    guard let item = await anyItem(of: device) else { return }
    let (value, isA) = (nextValue(device.diary), chance(500))
    let decisions = Shared<Int?>(nil)
    let changed = try? await device.collection.edit(item.id) {
      if isA { $0.a = value } else { $0.b = value }
      decisions.value = device.diary.decisions[item.mark]
    }
    guard changed != nil, isAlive else { return }
    guard device.diary.decisions[item.mark] == decisions.value else {
      return note("\(device.name) changes \(item.mark) to \(value), about which it has decided")
    }
    device.diary.own[item.mark, default: [nil, nil]][isA ? 0 : 1] = value
    note("\(device.name) changes \(item.mark) to \(value)")
  }

  private func remove(in device: Device) async {
    guard let item = await anyItem(of: device) else { return }
    device.diary.maybeRemoved.insert(item.mark)
    let wasThere = try? await device.store.transaction { transaction in
      guard try transaction.first(where: Item.id == item.id) != nil else { return false }
      try device.collection.remove(item.id, in: transaction)
      return true
    }
    guard wasThere == true, isAlive else { return }
    device.diary.own[item.mark] = nil
    device.diary.removed.insert(item.mark)
    note("\(device.name) removes \(item.mark)")
  }

  private func signOut(_ device: Device) async {
    device.diary.own = [:]
    device.diary.removed = []
    note("\(device.name) signs out")
    try? await device.collection.removeAll()
  }

  /// Decides about what has failed, as a user would.
  private func decide(in device: Device) async {
    for failure in await device.collection.failures {
      let conflict = failure.conflict
      guard let mark = (conflict.mine ?? conflict.theirs ?? conflict.base)?.mark else { continue }
      note("\(device.name) decides about \(mark) after \(failure.error.reason)")
      if chance(500), conflict.theirs != nil || conflict.mine != nil, failure.error.status != .gone
      {
        try? await device.collection.retry(failure)
      } else {
        device.diary.forget(mark)
        try? await device.collection.drop(failure)
      }
    }
  }

  private func anyItem(of device: Device) async -> Item? {
    let rows = (try? await device.store.select(Item.self, order: Item.id.ascending)) ?? []
    return rows.isEmpty ? nil : pick(of: rows)
  }
}

// MARK: - What is promised

extension SyncWorld {
  /// Compares what a device shows with what it has written.
  private func check(_ device: Device) async {
    guard let rows = try? await device.store.select(Item.self), isAlive else { return }
    let diary = device.diary
    let byMark = Dictionary(grouping: rows, by: \.mark)
    for (mark, same) in byMark where same.count > 1 {
      for entry in (try? await device.outbox.currentEntries()) ?? [] { note("\(device.name) has \(entry)") }
      violate(
        .shownOnce,
        "\(device.name) shows \(mark) as \(same.map { "\($0.id)" }.sorted().joined(separator: ", "))")
    }
    for mark in diary.removed where byMark[mark] != nil {
      violate(.removedIsGone, "\(device.name) shows \(mark) again")
    }
    for (mark, fields) in diary.own {
      let shown = byMark[mark]?.first
      if shown == nil, items.isRemoved(mark) || diary.maybeRemoved.contains(mark) { continue }
      for (field, value) in fields.enumerated() {
        guard let value else { continue }
        let now = shown.map { field == 0 ? $0.a : $0.b }
        if !mayShow(now, instead: value, of: mark, field, diary) {
          let words = now.map { "\($0)" } ?? "nothing"
          violate(.writesAreShown, "\(device.name) shows \(words) of \(mark) instead of \(value)")
        }
      }
    }
  }

  /// Whether a value may be shown after a device has written another one: somebody has replaced it
  /// on the server, or the device itself has.
  private func mayShow(
    _ shown: Int?, instead value: Int, of mark: Int, _ field: Int, _ diary: Diary
  ) -> Bool {
    guard let shown else { return false }
    if shown == value || shown > value && diary.written.contains(shown) { return true }
    let history = items.history[mark]?[field] ?? []
    guard let index = history.firstIndex(of: value) else { return false }
    return history[index...].contains(shown)
  }

  private func checkOrder(of mark: Int, _ values: [Int]) {
    for diary in diaries {
      var first: [Int] = []
      for value in values where diary.written.contains(value) && !first.contains(value) {
        first.append(value)
      }
      if first != first.sorted() {
        violate(.keepsOrder, "the writes to \(mark) took effect in the order \(first)")
      }
    }
  }

  /// With a good network all devices come to show what the server has.
  private func settle(_ devices: [Device]) async throws {
    server.weather = .fine
    items.cut = []
    for _ in 0..<60 {
      try await SimulatedClock().sleep(for: .seconds(10))
      var isDone = true
      for device in devices {
        try? await device.collection.sync()
        await decide(in: device)
        if try await device.outbox.count() > 0 { isDone = false }
      }
      if isDone { break }
    }
    for _ in 0..<2 {
      for device in devices { try await device.collection.sync() }
      try await SimulatedClock().sleep(for: .seconds(1))
    }
    for device in devices { try await checkEnd(of: device) }
    for device in devices {
      await device.outbox.close()
      await device.store.close()
    }
  }

  private func checkEnd(of device: Device) async throws {
    await check(device)
    for entry in try await device.outbox.currentEntries() {
      violate(.isNotStuck, "\(device.name): \(entry) \(entry.error?.reason ?? "")")
    }
    let rows = try await device.store.select(Item.self)
    let found = Dictionary(rows.map { ($0.mark, $0) }) { $1 }
    if found != items.items {
      let marks = Set(found.keys).union(items.items.keys).filter { found[$0] != items.items[$0] }
      let mark = marks.min() ?? 0
      violate(
        .observersAreTold,
        "\(device.name) has \(words(found[mark])), the server has \(words(items.items[mark]))")
    }
    for (mark, fields) in device.diary.own where !items.isRemoved(mark) {
      for (field, value) in fields.enumerated() {
        guard let value else { continue }
        let history = items.history[mark]?[field] ?? []
        let isThere = history.contains { $0 >= value && device.diary.written.contains($0) }
        if !isThere { violate(.acknowledgedIsKept, "\(value) of \(mark) was lost") }
      }
    }
  }

  private func words(_ item: Item?) -> String {
    item.map { "\($0.mark) as \($0.id) with \($0.a) and \($0.b)" } ?? "nothing"
  }
}
