import Foundation
import ResourceCache
import ResourceInspector
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15))) struct InspectorPageTests {
  @Test func `data can't end the script that holds it`() async throws {
    let inspector = Inspector(patience: .seconds(600))
    var configuration = Client.Configuration(baseURL: URL(string: "https://example.org"))
    configuration.inspect(with: inspector, as: "</script><script>alert(1)</script>&amp;")
    let client = Client(configuration)
    client.close()
    _ = try? await client.load(.json(.get("/x"), as: Int.self))
    configuration.observer?(
      LoadEvent.started(.get("https://example.org/</script><img src=x>&amp;")))

    let html = try await inspector.html()

    #expect(html.components(separatedBy: "</script>").count == 4)
    #expect(!html.contains("<img"))
  }

  @Test func `the page names no other place`() async throws {
    let html = try await Inspector().html()

    #expect(!html.contains("http://") && !html.contains("https://") && !html.contains("//cdn"))
    #expect(!html.contains("innerHTML") && !html.contains("insertAdjacentHTML"))
    #expect(!html.contains("eval(") && !html.contains("document.write"))
    #expect(html.contains("connect-src 'none'"))
  }
}

extension LoadEvent {
  fileprivate static func started(_ request: Request) -> LoadEvent { event(0, .started(request)) }
}

/// A browser shows the page of a program with faults.
@Suite(
  .inTurn, .timeLimit(.minutes(15)),
  .enabled(if: Browser.path != nil, "Chromium isn't installed: apt-get install chromium"))
struct BrowserTests {
  @Test(arguments: [false, true])
  func `a browser shows the loads, and each control works`(_ isDark: Bool) async throws {
    let program = try RecordedProgram()
    let objects = try await program.run()
    let folder = try TemporaryFolder()
    let page = folder.file("loads.html")
    let html = PageInspection.added(to: try await program.inspector.html())
    try html.write(to: page, atomically: true, encoding: .utf8)

    let document = try await Browser.document(of: page, isDark: isDark)
    let found = try #require(PageInspection(document: document), "\(document.suffix(2_000))")

    let host = "127.0.0.1:\(program.port)"
    #expect(found.rows.count == 10)
    #expect(found.rows.last == "#1 \(host)/items/1 200 succeeded")
    #expect(found.rows.contains("#5 \(host)/kept succeeded, from the cache"))
    #expect(found.rows.contains { $0.hasPrefix("#6 \(host)/missing 404 unaccepted status") })
    #expect(found.rows.contains { $0.contains("/broken 200 parsing failed") })
    #expect(found.rows.contains { $0.contains("/slow succeeded, shares #") })
    #expect(found.below.contains("redirect GET 200"))
    #expect(found.below.contains("retry GET 200"))
    #expect(found.bars == 10)
    #expect(found.wrongBars == [])
    #expect(found.byText == ["#3 \(host)/flaky 200 succeeded"])
    #expect(found.byStatus.count == 1 && found.byStatus.first?.contains("/missing") == true)
    #expect(found.byKind == ["#5 \(host)/kept succeeded, from the cache"])
    #expect(found.details.contains("-H 'Authorization: <redacted>' 'http:"))
    #expect(found.details.contains("Failure"))
    #expect(found.focusAfterSelecting == "detail")
    #expect(found.focusAfterClosing == "#8")
    #expect(found.focusAfterArrow == "#7")
    #expect(found.images == 0)
    #expect(found.unchangedTables == ["Cache: shop", "Outbox"])
    #expect(found.focusAfterChange == "Live resources: changed")
    expectTables(found.tables)
    #expect(found.totals.contains("Loads 10") && found.totals.contains("Failed: parsing 1"))
    #expect(found.hosts.hasPrefix("127.0.0.1 10 3"))
    #expect(!document.contains("planted-credential"))
    await objects.close()
  }

  private func expectTables(_ tables: [PageInspection.Table]) {
    let titles = tables.map(\.title)
    #expect(titles == ["Cache: shop", "Outbox", "Live resources"])
    guard titles.count == 3 else { return }
    let menu = "https://api.example.org/menu?access_token=<redacted>"
    let rule = "max-age=60, stale-while-revalidate=30"
    #expect(tables[0].note.hasPrefix("3 responses, "))
    #expect(
      tables[0].columns == [
        "URL", "Credential", "Variant", "Status", "State", "Why", "Fresh until", "Received",
        "Bytes",
      ])
    let (live, french, german) = (tables[0].rows[0], tables[0].rows[1], tables[0].rows[2])
    #expect(live[0] == "https://api.example.org/live?token=<redacted>")
    #expect([french[0], german[0]] == [menu, menu])
    #expect(french[2] == "Accept-Language: fr, X-Api-Key: <redacted>")
    #expect(german[2] == "Accept-Language: de, X-Api-Key: <redacted>")
    #expect(Array(french[3...5]) == ["200", "fresh", rule])
    #expect(tables[1].note == "1 entry")
    #expect(
      Array(tables[1].rows[0][0...4]) == [
        "PUT /notes/1", "note", "parked", "1", "when it is retried",
      ])
    #expect(tables[1].rows[0][6].contains("refused https://api.example.org/notes/1"))
    #expect(tables[2].rows.map { $0[0] }.contains("GET /live?token=<redacted>"))
    #expect(tables[2].rows.map { $0[2] } == ["no value", "fresh", "stale"])
    #expect(tables[2].rows.map { $0[3] } == ["1", "1", "0"])
  }

  /// As with axe: names, roles, headings, tables, ids, focus, target sizes and contrast.
  @Test(arguments: [false, true])
  func `the page is accessible`(_ isDark: Bool) async throws {
    let program = try RecordedProgram()
    let objects = try await program.run()
    let folder = try TemporaryFolder()
    let page = folder.file("loads.html")
    let html = PageInspection.added(to: try await program.inspector.html())
    try html.write(to: page, atomically: true, encoding: .utf8)

    let document = try await Browser.document(of: page, isDark: isDark)
    let found = try #require(PageInspection(document: document), "\(document.suffix(2_000))")

    #expect(found.isDark == isDark)
    #expect(found.faults == [])
    // What was looked at: a check that sees nothing finds nothing.
    #expect(found.controls >= 17 && found.texts >= 150 && found.regions == 5)
    await objects.close()
  }

  @Test func `the checks of accessibility find what they are for`() async throws {
    let folder = try TemporaryFolder()
    let page = folder.file("bad.html")
    let html = PageInspection.onlyChecks(PageInspection.badPage)
    try html.write(to: page, atomically: true, encoding: .utf8)

    let document = try await Browser.document(of: page)
    let faults = try #require(PageInspection.faults(document: document))

    let rules = Set(faults.map { String($0.prefix { $0 != ":" }) })
    #expect(rules == Set(PageInspection.rules))
  }

  @Test func `none of 69 planted secrets is in the document`() async throws {
    let program = try PlantedProgram()
    let objects = try await program.run()
    let folder = try TemporaryFolder()
    let page = folder.file("loads.html")
    let html = PageInspection.added(to: try await program.inspector.html())
    try html.write(to: page, atomically: true, encoding: .utf8)

    let document = try await Browser.document(of: page)
    let found = try #require(PageInspection(document: document), "\(document.suffix(2_000))")

    #expect(Set(program.secrets).count == 69)
    #expect(program.receivedSecrets == Set(program.secrets.prefix(60)))
    // Those that never leave the program are the outbox's payload and a live value.
    let unsent = [program.secrets[64], program.secrets[68]]
    #expect(
      objects.receivedSecrets(program.secrets[60...])
        == Set(program.secrets[60...]).subtracting(unsent))
    #expect(found.tables.map(\.rows.count) == [3, 1, 3])
    #expect(found.rows.count == 10)
    #expect(document.contains("refused because of"))
    #expect(program.secrets.filter(document.contains) == [])
    await objects.close()
  }

  @Test func `a browser shows the served page under its own policy, and follows its events`()
    async throws
  {
    let program = try RecordedProgram()
    let objects = try await program.run()
    let (reads, read) = AsyncStream.makeStream(of: Void.self)
    let cache = HTTPCache(WatchedStorage(read))
    program.inspector.show(cache, as: "watched")
    let url = try program.inspector.start()

    async let document = Browser.document(of: url)
    // The page has the tables of the first reading when the second one begins.
    for await _ in reads.prefix(2) {}
    program.inspector.stop()
    let text = try await document

    #expect(text.contains("data-load=\"10\""))
    for title in ["Cache: shop", "Outbox", "Live resources", "Cache: watched"] {
      #expect(text.contains(">\(title)</h2>"))
    }
    #expect(text.contains("The program doesn't answer."))
    #expect(!text.contains("planted-credential"))
    await objects.close()
    withExtendedLifetime(cache) {}
  }
}

/// An empty storage that says when it is listed.
private struct WatchedStorage: ListedResponseStorage {
  let read: AsyncStream<Void>.Continuation

  init(_ read: AsyncStream<Void>.Continuation) { self.read = read }

  func list(_ request: ResponseListRequest) async throws -> ResponseList? {
    read.yield()
    return ResponseList(responses: [], count: 0, size: 0)
  }

  func responses(for key: CacheKey) async throws -> [StoredResponse] { [] }
  func mark() async throws -> RemovalMark { RemovalMark(history: 0, number: 0) }
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) {}
  func remove(_ scope: CacheScope) {}
}
