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
  /// Whether it is often too busy for links, so that they wait while their items get other ids.
  var refusesLinks = chance(400)
  private let pageLength = 1 + pick(4)
  private var rows: [Row] = []
  var links: [ServerID: Link] = [:]
  private var time = 0
  private var remembered: [String: Answer] = [:]
  /// The values of each field by marks, in the order in which they took effect.
  private(set) var history: [Int: [[Int]]] = [:]
  /// The devices that the network doesn't reach.
  var cut: Set<String> = []

  /// The rows by their marks.
  var items: [Int: Item] {
    Dictionary(rows.filter { !$0.isRemoved }.map { ($0.item.mark, $0.item) }) { $1 }
  }

  /// The mark of a row that is there or was.
  func mark(of id: ServerID) -> Int? { rows.first { $0.item.id == id }?.item.mark }

  func isRemoved(_ mark: Int) -> Bool { rows.contains { $0.item.mark == mark && $0.isRemoved } }

  override func weather(for request: WireRequest) -> Weather {
    guard let device = request.headers["X-Device"], cut.contains(device) else { return weather }
    return Weather(loss: 1000, latency: weather.latency)
  }

  override func own(
    _ request: WireRequest, _ path: String, _ number: Int, _ headers: Headers
  ) -> (ResponseHead, Data)? {
    var headers = headers
    headers[.contentType] = "application/json"
    let asked = Asked(request)
    if let answer = linkAnswer(request, path) {
      return (ResponseHead(status: answer.0, headers: headers), answer.1)
    }
    // No other thread may come between what is read of the rows and what is changed.
    let (status, body) = answer(asked, path)
    return (ResponseHead(status: status, headers: headers), body?.json ?? Data())
  }

  /// What a request says.
  private struct Asked {
    let method: Request.Method
    let key: String
    let version: Int?
    let sent: Item?
    let since: Int
    let from: Int

    init(_ request: WireRequest) {
      let query = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
      func number(_ name: String) -> Int {
        query.first { $0.name == name }?.value.flatMap { Int($0) } ?? 0
      }
      (method, since, from) = (request.method, number("since"), number("from"))
      key = request.headers["Idempotency-Key"] ?? ""
      version = request.headers["X-Version"].flatMap { Int($0) }
      sent = (try? request.body?.data()).flatMap { try? JSONDecoder().decode(Item.self, from: $0) }
    }
  }

  private enum Body {
    case item(Item)
    case page(Page)

    var json: Data? {
      switch self {
      case .item(let item): try? JSONEncoder().encode(item)
      case .page(let page): try? JSONEncoder().encode(page)
      }
    }
  }

  private typealias Answer = (status: Status, body: Body?)
}

extension SyncServer {
  private func answer(_ asked: Asked, _ path: String) -> Answer {
    if asked.method == .get { return (.ok, .page(page(asked))) }
    if let answer = remembered[asked.key] { return answer }
    let answer = asked.method == .post ? create(asked) : change(asked, path)
    if answer.status.rawValue < 300 { remembered[asked.key] = answer }
    return answer
  }

  private func page(_ asked: Asked) -> Page {
    // By the time of the last change, from one that the page names, so that none is missed.
    let changed = rows.filter { row in
      row.time > max(asked.since, asked.from) && (!isListing || !row.isRemoved)
    }.sorted { $0.time < $1.time }
    let part = changed.prefix(pageLength)
    return Page(
      items: part.filter { !$0.isRemoved }.map(\.item),
      removed: part.filter(\.isRemoved).map(\.item.id),
      next: part.count < changed.count ? part.last.map { "\($0.time)" } : nil,
      cursor: "\(part.last?.time ?? asked.since)")
  }

  private func create(_ asked: Asked) -> Answer {
    guard let sent = asked.sent else { return (.badRequest, nil) }
    if let known = items[sent.mark] { return (.conflict, .item(known)) }
    if isRemoved(sent.mark) { return (.gone, nil) }
    var item = sent
    if givesIDs { item.id = ServerID(Int64(1000 + rows.count)) }
    return (.created, store(item, over: nil))
  }

  private func change(_ asked: Asked, _ path: String) -> Answer {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard let index = rows.firstIndex(where: { "\($0.item.id)" == name && !$0.isRemoved }) else {
      return (.notFound, nil)
    }
    let known = rows[index].item
    if checksVersions, asked.version != known.version {
      return (.conflict, tellsConflicts ? .item(known) : nil)
    }
    guard asked.method != .delete else {
      time += 1
      rows[index] = Row(item: known, time: time, isRemoved: true)
      world.note("the server removes \(known.mark)")
      return (.noContent, nil)
    }
    guard var item = asked.sent else { return (.badRequest, nil) }
    (item.id, item.mark) = (known.id, known.mark)
    return (.ok, store(item, over: index))
  }

  private func store(_ item: Item, over index: Int?) -> Body? {
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
    return isTerse && !givesIDs ? nil : .item(item)
  }
}
