extension Row {
  // What a load of 1 KB costs as the number in flight grows: latency first, then what a core can
  // carry. As bytes, and as values.
  public static let data1 = Row("load-1KB-data-1", operations: 100)
  public static let data8 = Row("load-1KB-data-8", operations: 400)
  public static let data64 = Row("load-1KB-data-64", operations: 640)
  public static let json1 = Row("load-1KB-json-1", operations: 100)
  public static let json8 = Row("load-1KB-json-8", operations: 400)
  public static let json64 = Row("load-1KB-json-64", operations: 640)

  // What documents of 1 MB cost, 8 in flight: most of it is decoding.
  public static let jsonLarge = Row("load-1MB-json-8", operations: 40)

  // Whether the server is the bottleneck: what it takes of one who does nothing but ask, 64 in
  // flight.
  public static let server = Row(
    "serve-1KB-64", operations: 1, by: .wallClock, ours: .wrk, goals: [.allowed: 1])

  // Whether a burst passes at all: a load that fails ends the suite.
  public static let data1000 = Row("load-1KB-data-1000", operations: 1_000)

  // What four middleware add that have nothing to do.
  public static let middleware = Row(
    "load-1KB-middleware", operations: 100, goals: [.sessionLoad: 1.05])

  // What a session gains by leaving out what a client doesn't use.
  public static let ownSession = Row(
    "load-1KB-own-session", operations: 100, goals: [.shared: 0.87])

  // What a large document that is being decoded does to the small ones: 99 of 100 of 500.
  public static let mixedSession = Row(
    "mixed-session", operations: 1, by: .tail, goals: [.alone: 1.5])
  public static let mixedCurl = Row("mixed-curl", operations: 1, by: .tail, goals: [.alone: 1.5])

  // What bytes cost when there are many of them.
  public static let download = Row(
    "download-256MB", operations: 1, by: .wallClock, goals: [.curlProgram: 1.0])

  /// The rows of the client suite, in the order of the table.
  public static let clients =
    ofCurl + ofSession + [
      middleware, ownSession, mixedSession, mixedCurl, download, server,
    ]

  private static let ofCurl = [
    data1.read(by: .wallClock, for: .curlClient, goals: [.asyncHTTPClient: 0.8]),
    json1.read(by: .wallClock, for: .curlClient, goals: [.asyncHTTPClient: 0.75]),
    data64.read(by: .wallClock, for: .curlClient, goals: [.asyncHTTPClient: 0.5]),
    // Beside what libcurl takes by itself.
    data64.read(
      by: .processorTime, for: .curlClient, goals: [.asyncHTTPClient: 0.45, .curlMulti: 2]),
    json64.read(by: .wallClock, for: .curlClient, goals: [.asyncHTTPClient: 0.65]),
    json64.read(by: .processorTime, for: .curlClient, goals: [.asyncHTTPClient: 0.55]),
    jsonLarge.read(by: .wallClock, for: .curlClient, goals: [.asyncHTTPClient: 0.333]),
    jsonLarge.read(by: .processorTime, for: .curlClient, goals: [.asyncHTTPClient: 0.333]),
    json64.read(by: .processorTime, for: .sessionLoad, goals: [.dataTask: 0.95]),
  ]

  private static let ofSession = [data1, data8, data64].flatMap { row in
    [Measure.processorTime, .wallClock].map {
      row.read(by: $0, for: .sessionClient, goals: [.dataTask: 1.05])
    }
  }
}
