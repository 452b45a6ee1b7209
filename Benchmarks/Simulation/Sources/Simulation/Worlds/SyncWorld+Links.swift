import CSimulation
import Foundation
import ResourceLoading
import ResourceStore
import ResourceSync

/// A row that refers to an ``Item``, which may not have its server's id yet.
struct Link: SyncedModel, Equatable {
  var id: ServerID
  var item: ServerID
  var mark: Int
  /// The mark of the item.
  var target: Int
}

// Rows of another collection, which refer to the items.
extension SyncWorld {
  func configure(_ options: inout SyncOptions<Link>) {
    options.pull = .array(Resource<[Link]>(json: .get("/links")))
    options.create = { .put("/links/\($0.id)").json($0) }
    options.references = ["item"]
    // Items whose ids are known from the beginning aren't waited for otherwise.
    options.after = { link in
      (try? SyncedCollection<Item>.key(of: link.item)).map { [$0] } ?? []
    }
  }

  func link(in device: Device) async {
    guard let item = await anyItem(of: device) else { return }
    let diary = device.diary
    let mark = nextValue(diary)
    let signOuts = Shared(0)
    let isThere = try? await device.store.transaction { transaction in
      signOuts.value = diary.signOuts
      // Its id may be another one by now.
      guard let item = try transaction.select(Item.self).first(where: { $0.mark == item.mark })
      else { return false }
      let link = Link(id: ServerID("l\(mark)"), item: item.id, mark: mark, target: item.mark)
      try device.links.save(link, in: transaction)
      return true
    }
    guard isThere == true, isAlive, diary.isSignedIn(since: signOuts.value),
      diary.decisions[mark] == nil
    else { return }
    diary.links.insert(mark)
    note("\(device.name) links \(mark) to \(item.mark)")
  }

  /// Compares the links of a device with its items: one to an item that has its server's id doesn't
  /// have an older one.
  func checkReferences(of device: Device) async {
    let read = try? await device.store.transaction {
      (try $0.select(Link.self), try $0.select(Item.self))
    }
    guard let (links, items) = read, isAlive else { return }
    let ids = Dictionary(items.map { ($0.mark, $0.id) }) { $1 }
    for link in links where link.item.isLocal {
      guard let id = ids[link.target], id != link.item else { continue }
      violate(.refersToRow, "\(device.name) has \(words(link)), which is \(id)")
    }
  }

  /// Gives up the links that have failed, as those to items that were given up.
  func dropLinks(of device: Device) async {
    for failure in await device.links.failures {
      guard let mark = failure.conflict.mine?.mark else { continue }
      note("\(device.name) gives up the link \(mark) after \(failure.error.reason)")
      device.diary.forget(mark)
      device.diary.links.remove(mark)
      try? await device.links.drop(failure)
    }
  }

  func checkLinks(of device: Device) async throws {
    let rows = try await device.store.select(Link.self)
    let found = Dictionary(rows.map { ($0.id, $0) }) { $1 }
    for id in Set(found.keys).union(items.links.keys) where found[id] != items.links[id] {
      violate(
        .refersToRow,
        "\(device.name) has \(words(found[id])), the server has \(words(items.links[id]))")
    }
    let known = Set(items.links.values.map(\.mark))
    for mark in device.diary.links.subtracting(known).sorted() {
      violate(.acknowledgedIsKept, "the link \(mark) of \(device.name) was lost")
    }
  }

  private func words(_ link: Link?) -> String {
    link.map { "\($0.mark) to \($0.target) as \($0.item)" } ?? "nothing"
  }
}

extension SyncServer {
  func linkAnswer(_ request: WireRequest, _ path: String) -> (Status, Data)? {
    guard path.hasPrefix("/links") else { return nil }
    if request.method == .get {
      let sorted = links.values.sorted { $0.mark < $1.mark }
      return (.ok, (try? JSONEncoder().encode(sorted)) ?? Data())
    }
    if refusesLinks, chance(700) { return (.serviceUnavailable, Data()) }
    guard let sent = (try? request.body?.data()),
      let link = try? JSONDecoder().decode(Link.self, from: sent)
    else { return (.badRequest, Data()) }
    if link.item.isLocal || mark(of: link.item).map({ $0 != link.target }) == true {
      world.violate(.refersToRow, "the server gets \(link.mark) to \(link.target) as \(link.item)")
    }
    world.note("the server has the link \(link.mark)")
    links[link.id] = link
    return (.ok, sent)
  }
}
