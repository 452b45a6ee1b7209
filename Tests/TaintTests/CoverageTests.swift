import Testing

/// Whether the harness knows every public symbol that carries text.
struct CoverageTests {
  private static let planted = Set(Plant.all.flatMap(\.symbols) + Holder.all.flatMap(\.symbols))

  private static let tables = [Knowledge.searched, Knowledge.real, Knowledge.harmless]

  private static func isKnown(_ symbol: PublicSymbols.Symbol) -> Bool {
    planted.contains(symbol.name) || Knowledge.clear[symbol.owner] != nil
      || tables.contains { $0[symbol.owner].map { $0.words.contains(symbol.member) } ?? false }
  }

  @Test func `each public symbol that carries text is planted, searched, or exempt by a reason`()
    throws
  {
    let symbols = try PublicSymbols().symbols.filter(\.carriesText)

    #expect(symbols.count > 400)
    for symbol in symbols where !Self.isKnown(symbol) {
      Issue.record(
        Comment(rawValue: "the harness doesn't know \(symbol.name) | \(symbol.declaration)"))
    }
  }

  @Test func `each symbol that the harness names exists`() throws {
    let names = try PublicSymbols().names
    let listed = Self.tables.flatMap { table in
      table.flatMap { type, members in members.words.map { "\(type).\($0)" } }
    }

    for name in listed + Array(Self.planted) + Array(Knowledge.clear.keys)
    where !names.contains(name) {
      Issue.record(Comment(rawValue: "there is no \(name)"))
    }
  }

  @Test func `each type that holds real values is printed`() {
    let printed = Set(Holder.all.map(\.type)).union([
      // By `LoadTests`: the exchange of a tracer, the download, the stream, the entries, and the
      // hop that signs.
      "Download", "ObservedExchange", "ResponseStream", "OutboxEntry", "WireRequest.Hop",
      "Resource",
      "Response.Link.Parameter",
      // By `SocketTests`.
      "WebSocket.Connection",
    ])

    for type in Knowledge.real.keys where !printed.contains(type) {
      Issue.record(Comment(rawValue: "\(type) is printed nowhere"))
    }
  }

  @Test func `a new symbol is noticed, and so is a new member of a known type`() {
    let symbols = [
      PublicSymbols.Symbol(name: "Request.secret", declaration: "var secret: String"),
      PublicSymbols.Symbol(name: "Vault.init(_:)", declaration: "init(_ text: String)"),
      PublicSymbols.Symbol(name: "Vault.failed(_:)", declaration: "case failed(any Error)"),
    ]

    for symbol in symbols { #expect(symbol.carriesText && !Self.isKnown(symbol)) }
  }
}

extension String {
  fileprivate var words: [String] { split(whereSeparator: \.isWhitespace).map(String.init) }
}
