import CSimulation
import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore
import ResourceSync

/// Three devices that sync two tables with one server, offline and online, in processes that die
/// together. Two of them may be processes of one device, with one file.
final class SyncWorld: ProcessesWorld, @unchecked Sendable {
  private(set) lazy var items = SyncServer(self)
  private let diaries: [Diary]
  private var lastValue = 0
  private let decides = chance(500)
  private let sharesFile: Bool

  required init(seed: UInt64, tells: Bool, omitting omitted: Set<Int>) {
    sharesFile = chance(300)
    let first = Diary()
    diaries = [first, sharesFile ? first : Diary(), Diary()]
    super.init(seed: seed, tells: tells, omitting: omitted)
  }

  override var server: Server { items }

  /// What a device has been promised.
  final class Diary: @unchecked Sendable {
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
    /// The marks of links that were acknowledged.
    var links: Set<Int> = []
    /// How often somebody has signed out, and how many are doing so. Another process may write at
    /// the same time.
    private(set) var signOuts = 0
    private var leaving = 0
    /// Changes when promises are taken back.
    private(set) var revision = 0

    func forget(_ mark: Int) {
      revision += 1
      decisions[mark, default: 0] += 1
      own[mark] = nil
      removed.remove(mark)
    }

    func signOut(_ body: () async -> Void) async {
      revision += 1
      (signOuts, leaving) = (signOuts + 1, leaving + 1)
      (own, removed, links) = ([:], [], [])
      await body()
      leaving -= 1
    }

    /// Whether nobody has signed out since a number was read, or does now.
    func isSignedIn(since signOuts: Int) -> Bool { leaving == 0 && signOuts == self.signOuts }
  }

  final class Device: @unchecked Sendable {
    let name: String
    let diary: Diary
    let store: SQLiteStore
    let outbox: Outbox
    let collection: SyncedCollection<Item>
    let links: SyncedCollection<Link>

    init(
      _ name: String, _ diary: Diary, _ store: SQLiteStore, _ outbox: Outbox,
      _ collection: SyncedCollection<Item>, _ links: SyncedCollection<Link>
    ) {
      (self.name, self.diary, self.store) = (name, diary, store)
      (self.outbox, self.collection, self.links) = (outbox, collection, links)
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
    let isSharing = sharesFile && number < 2
    let store = try await openStore(
      "device-\(isSharing ? 0 : number)", lookingForOthersEvery: isSharing ? .seconds(1) : nil)
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
    let links = try await SyncedCollection<Link>(outbox) { configure(&$0) }
    return Device(name, diary, store, outbox, collection, links)
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
    case ..<25: await create(in: device)
    case ..<35: await link(in: device)
    case ..<55: await edit(in: device)
    case ..<65: await remove(in: device)
    case ..<76: Task { try? await device.collection.sync() }
    case ..<80: Task { try? await device.links.sync() }
    case ..<84:
      items.cut = Set(["device 0", "device 1", "device 2"].filter { _ in chance(300) })
      note("the network doesn't reach \(items.cut.sorted())")
    case ..<87: sim_advance(Nanoseconds(pick(200)) * second)
    case ..<90: await signOut(device)
    default: await decide(in: device)
    }
    await check(device)
    await checkReferences(of: device)
  }

  func nextValue(_ diary: Diary) -> Int {
    lastValue += 1
    diary.written.insert(lastValue)
    return lastValue
  }

  var isAlive: Bool { sim_disk_is_dead() == 0 }

  private func create(in device: Device) async {
    let (a, b) = (nextValue(device.diary), nextValue(device.diary))
    let id = items.givesIDs ? ServerID() : ServerID("c\(a)")
    let (diary, signOuts) = (device.diary, Shared(0))
    do {
      try await device.store.transaction { transaction in
        signOuts.value = diary.signOuts
        try device.collection.save(Item(id: id, mark: a, a: a, b: b), in: transaction)
      }
      guard isAlive, diary.decisions[a] == nil, diary.isSignedIn(since: signOuts.value),
        !diary.maybeRemoved.contains(a)
      else { return }
      let later = diary.own[a] ?? [nil, nil]
      diary.own[a] = [later[0] ?? a, later[1] ?? b]
      note("\(device.name) creates \(a)")
    } catch { note("\(device.name) doesn't create \(a): \(error)") }
  }

  private func edit(in device: Device) async {
    guard let item = await anyItem(of: device) else { return }
    let (diary, isA) = (device.diary, chance(500))
    let (decisions, signOuts, written) = (Shared<Int?>(nil), Shared(0), Shared(0))
    let changed = try? await device.collection.edit(item.id) {
      // Here, so that the values of two processes are in the order of their transactions.
      written.value = self.nextValue(diary)
      if isA { $0.a = written.value } else { $0.b = written.value }
      decisions.value = diary.decisions[item.mark]
      signOuts.value = diary.signOuts
    }
    guard changed != nil, isAlive else { return }
    let (value, field) = (written.value, isA ? 0 : 1)
    guard diary.decisions[item.mark] == decisions.value, diary.isSignedIn(since: signOuts.value)
    else {
      return note("\(device.name) changes \(item.mark) to \(value), about which it has decided")
    }
    note("\(device.name) changes \(item.mark) to \(value)")
    guard !diary.maybeRemoved.contains(item.mark) else { return }
    let known = diary.own[item.mark, default: [nil, nil]][field] ?? 0
    diary.own[item.mark, default: [nil, nil]][field] = max(known, value)
  }

  private func remove(in device: Device) async {
    guard let item = await anyItem(of: device) else { return }
    let (diary, signOuts) = (device.diary, Shared(0))
    diary.maybeRemoved.insert(item.mark)
    let wasThere = try? await device.store.transaction { transaction in
      signOuts.value = diary.signOuts
      guard try transaction.first(where: Item.id == item.id) != nil else { return false }
      try device.collection.remove(item.id, in: transaction)
      return true
    }
    guard wasThere == true, isAlive, diary.isSignedIn(since: signOuts.value) else { return }
    diary.own[item.mark] = nil
    diary.removed.insert(item.mark)
    note("\(device.name) removes \(item.mark)")
  }

  private func signOut(_ device: Device) async {
    note("\(device.name) signs out")
    await device.diary.signOut {
      try? await device.links.removeAll()
      try? await device.collection.removeAll()
    }
  }

  /// Decides about what has failed, as a user would.
  private func decide(in device: Device) async {
    await dropLinks(of: device)
    for failure in await device.collection.failures {
      let conflict = failure.conflict
      guard let mark = (conflict.mine ?? conflict.theirs ?? conflict.base)?.mark else {
        note("\(device.name) gives up \(failure.rowID) after \(failure.error.reason)")
        try? await device.collection.drop(failure)
        continue
      }
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

  func anyItem(of device: Device) async -> Item? {
    let rows = (try? await device.store.select(Item.self, order: Item.id.ascending)) ?? []
    return rows.isEmpty ? nil : pick(of: rows)
  }
}

// MARK: - What is promised

extension SyncWorld {
  /// Compares what a device shows with what it has written.
  private func check(_ device: Device) async {
    let diary = device.diary
    let (own, removed, revision) = (diary.own, diary.removed, diary.revision)
    let signOuts = diary.signOuts
    guard let rows = try? await device.store.select(Item.self), isAlive,
      diary.revision == revision, diary.isSignedIn(since: signOuts)
    else { return }
    let byMark = Dictionary(grouping: rows, by: \.mark)
    for (mark, same) in byMark where same.count > 1 {
      for entry in (try? await device.outbox.currentEntries()) ?? [] {
        note("\(device.name) has \(entry)")
      }
      violate(
        .shownOnce,
        "\(device.name) shows \(mark) as \(same.map { "\($0.id)" }.sorted().joined(separator: ", "))"
      )
    }
    for mark in removed where byMark[mark] != nil {
      violate(.removedIsGone, "\(device.name) shows \(mark) again")
    }
    for (mark, fields) in own {
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
    items.refusesLinks = false
    for _ in 0..<60 {
      try await SimulatedClock().sleep(for: .seconds(10))
      var isDone = true
      for device in devices {
        try? await device.collection.sync()
        try? await device.links.sync()
        await decide(in: device)
        if try await device.outbox.count() > 0 { isDone = false }
      }
      if isDone { break }
    }
    for _ in 0..<2 {
      for device in devices {
        try await device.collection.sync()
        try await device.links.sync()
      }
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
    try await checkLinks(of: device)
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
