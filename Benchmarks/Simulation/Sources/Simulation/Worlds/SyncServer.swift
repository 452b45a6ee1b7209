import CSimulation
import Foundation
import ResourceLoading
import ResourceStore
import ResourceSync

/// A row that is synced. Its mark is given where it is created, and stays the same.
struct Item: SyncedModel, Equatable {
  var id: ServerID
  var mark: Int
  var a: Int
  var b: Int
  var version: Int?
}

/// A server with rows that have versions, and a log of changes.
final class SyncServer: Server, @unchecked Sendable {
  struct Page: Codable, Sendable {
    var items: [Item]
    var removed: [ServerID]
    var next: String?
    var cursor: String
  }

  private struct Row {
    var item: Item
    /// The time of the last change, as the cursor counts it.
    var time: Int
    var isRemoved = false
  }

  let givesIDs = chance(500)
  let isListing = chance(400)
  let checksVersions = chance(600)
  private let tellsConflicts = chance(500)
  /// Whether its answers have no rows.
  private let isTerse = chance(300)
  private let pageLength = 1 + pick(4)
  private var rows: [Row] = []
  private var time = 0
  private var remembered: [String: (ResponseHead, Data)] = [:]
  /// The values of each field by marks, in the order in which they took effect.
  private(set) var history: [Int: [[Int]]] = [:]
  /// The devices that the network doesn't reach.
  var cut: Set<String> = []

  /// The rows by their marks.
  var items: [Int: Item] {
    Dictionary(rows.filter { !$0.isRemoved }.map { ($0.item.mark, $0.item) }) { $1 }
  }

  func isRemoved(_ mark: Int) -> Bool { rows.contains { $0.item.mark == mark && $0.isRemoved } }

  override func weather(for request: WireRequest) -> Weather {
    guard let device = request.headers["X-Device"], cut.contains(device) else { return weather }
    return Weather(loss: 1000, latency: weather.latency)
  }

  override func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    let key = request.headers["Idempotency-Key"] ?? ""
    if request.method != .get, let answer = remembered[key] { return answer }
    let (status, body) = answer(request, path)
    var headers = headers
    headers[.contentType] = "application/json"
    let answer = (ResponseHead(status: status, headers: headers), body)
    if request.method != .get, status.rawValue < 300 { remembered[key] = answer }
    return answer
  }

  private func answer(_ request: WireRequest, _ path: String) -> (Status, Data) {
    switch request.method {
    case .get: return (.ok, page(request))
    case .post: return create(request)
    default: return change(request, path)
    }
  }
}

extension SyncServer {
  private func page(_ request: WireRequest) -> Data {
    let query = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    func number(_ name: String) -> Int {
      query.first { $0.name == name }?.value.flatMap { Int($0) } ?? 0
    }
    // By the time of the last change, from one that the page names, so that none is missed.
    let changed = rows.filter { row in
      row.time > max(number("since"), number("from")) && (!isListing || !row.isRemoved)
    }.sorted { $0.time < $1.time }
    let part = changed.prefix(pageLength)
    let page = Page(
      items: part.filter { !$0.isRemoved }.map(\.item),
      removed: part.filter(\.isRemoved).map(\.item.id),
      next: part.count < changed.count ? part.last.map { "\($0.time)" } : nil,
      cursor: "\(part.last?.time ?? number("since"))")
    return (try? JSONEncoder().encode(page)) ?? Data()
  }

  private func create(_ request: WireRequest) -> (Status, Data) {
    guard let sent = read(request) else { return (.badRequest, Data()) }
    if let known = items[sent.mark] { return (.conflict, data(known)) }
    if isRemoved(sent.mark) { return (.gone, Data()) }
    var item = sent
    if givesIDs { item.id = ServerID(Int64(1000 + rows.count)) }
    return (.created, store(item, over: nil))
  }

  private func change(_ request: WireRequest, _ path: String) -> (Status, Data) {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let index = rows.firstIndex(where: { "\($0.item.id)" == name && !$0.isRemoved }) else {
      return (.notFound, Data())
    }
    let known = rows[index].item
    let version = request.headers["X-Version"].flatMap { Int($0) }
    if checksVersions, version != known.version {
      return (.conflict, tellsConflicts ? data(known) : Data())
    }
    guard request.method != .delete else {
      time += 1
      rows[index] = Row(item: known, time: time, isRemoved: true)
      world.note("the server removes \(known.mark)")
      return (.noContent, Data())
    }
    guard var item = read(request) else { return (.badRequest, Data()) }
    (item.id, item.mark) = (known.id, known.mark)
    return (.ok, store(item, over: index))
  }

  private func store(_ item: Item, over index: Int?) -> Data {
    time += 1
    var item = item
    item.version = checksVersions ? time : nil
    history[item.mark, default: [[], []]][0].append(item.a)
    history[item.mark, default: [[], []]][1].append(item.b)
    if let index {
      rows[index] = Row(item: item, time: time)
    } else {
      rows.append(Row(item: item, time: time))
    }
    world.note("the server has \(item.mark) with \(item.a) and \(item.b)")
    return isTerse && !givesIDs ? Data() : data(item)
  }

  private func read(_ request: WireRequest) -> Item? {
    (try? request.body?.data()).flatMap { try? JSONDecoder().decode(Item.self, from: $0) }
  }

  private func data(_ item: Item) -> Data { (try? JSONEncoder().encode(item)) ?? Data() }
}
