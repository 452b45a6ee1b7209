public import Foundation
public import ResourceLoading
import Synchronization

/// Shows what clients do, while they do it: a page on this machine with a waterfall of their loads,
/// and with what caches, outboxes and live resources hold.
///
/// ```swift
/// let inspector = Inspector()
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), RetryMiddleware()]
///   $0.inspect(with: inspector)
/// }
/// print("Loads: \(try inspector.start())")
/// ```
///
/// It keeps the newest loads in memory, without the bodies of responses. Of more than 500 loads a
/// second it records only a part, and counts the rest. No secret of a load is shown, as in errors
/// and logs. A client without an inspector isn't affected by this module.
///
/// All members may be used from any thread.
public final class Inspector: Sendable {
  private let log: LoadLog
  private let tables: TableSources
  private let server = Mutex<InspectorServer?>(nil)

  /// Creates an inspector. The page is served from ``start()`` on.
  ///
  /// - Parameter maximumLoads: The most loads that are kept. Older ones are only counted.
  public convenience init(maximumLoads: Int = 1_000) {
    self.init(maximumLoads: maximumLoads, patience: .seconds(1))
  }

  /// - Parameter patience: How long an object may take to say what it holds.
  package init(maximumLoads: Int = 1_000, patience: Duration) {
    log = LoadLog(limit: maximumLoads)
    tables = TableSources(log, patience: patience)
  }

  deinit { stop() }
}

extension Inspector {
  /// Starts to serve the page, and returns its URL.
  ///
  /// The server listens on the loopback interface only. The URL contains a random token, without
  /// which nothing is served, not even to programs on this machine: don't publish it. Requests from
  /// pages of other origins are refused. A second call returns the same URL.
  ///
  /// - Returns: The URL to open in a browser. It is valid until ``stop()`` is called or the
  ///   inspector is released.
  /// - Throws: A `LoadError` of kind `connection` if the process can't listen.
  @discardableResult
  public func start() throws -> URL {
    try server.withLock { server in
      if let server { return server.url }
      do {
        let started = try InspectorServer(log, tables)
        server = started
        return started.url
      } catch {
        throw LoadError(.connection, "the inspector can't listen: \(error)", underlying: error)
      }
    }
  }

  /// Stops serving the page and closes its connections. Loads are still recorded, and ``start()``
  /// serves them at another URL.
  public func stop() {
    let server = server.withLock { $0.take() }
    server?.stop()
  }
}

extension Inspector {
  /// Returns the page with all loads that are kept, as one HTML file without external resources:
  /// for bug reports, for example. It contains no secrets.
  ///
  /// Caches, outboxes and live resources are read now. What takes longer than a second is left out,
  /// such as live resources while the main actor is busy.
  ///
  /// - Throws: An error if the page can't be written as JSON.
  public func html() async throws -> String {
    let tables = await tables.tables()
    return try InspectorPage(isLive: false).html(InspectorReport(log, hasDetails: true), tables)
  }

  /// Returns all loads that are kept as an HTTP Archive (HAR 1.2), with an entry for each request
  /// on the wire. It contains no secrets and no bodies.
  ///
  /// - Throws: An error if the loads can't be written as JSON.
  public func archive() throws -> Data {
    try ArchiveReport(log.changes().records, since: log.date).json()
  }
}

extension Inspector {
  /// Shows what a cache, an outbox or live resources hold, in a table.
  ///
  /// - An `HTTPCache`: its responses, how long each of them is fresh and by which rule, whether it
  ///   has to be revalidated, its variant and its size. A credential is shown as a random number. A
  ///   cache in a file stores no URLs; those of the loads that the inspector keeps are recognised.
  ///   Inspect the clients of the cache, too: their loads tell which further names of secrets are
  ///   replaced in URLs (`Request.Options.secretNames`).
  /// - An `Outbox`: its entries with their states and next attempts, without bodies and payloads.
  /// - `LiveResources`: the resources and pages, whether they are fresh, how many observers they
  ///   have, and what happens to them next; without their values. This doesn't observe them.
  ///
  /// Nothing is read unless a page is open or saved.
  ///
  /// - Parameters:
  ///   - object: The object. It isn't kept alive.
  ///   - name: A name for the page; empty for none.
  public func show(_ object: some Inspectable, as name: String = "") {
    tables.add(object, name)
  }
}

extension Client.Configuration {
  /// Shows the loads of a client in an inspector. An `observer` that was set before is still
  /// called.
  ///
  /// - Parameters:
  ///   - inspector: The inspector, which may have several clients. It isn't kept alive.
  ///   - name: The name of the client on the page; empty for none.
  public mutating func inspect(with inspector: Inspector, as name: String = "") {
    observer = inspector.observer(named: name, before: observer)
  }
}

extension Inspector {
  fileprivate func observer(
    named name: String, before other: (@Sendable (LoadEvent) -> Void)?
  ) -> @Sendable (LoadEvent) -> Void {
    let own = log.observer(named: name)
    guard let other else { return own }
    return { event in
      own(event)
      other(event)
    }
  }
}
