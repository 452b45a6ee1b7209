public import Foundation
import ResourcePrimitives
import Synchronization

/// Hosts that are contacted by https only, because they or the program require it (HTTP Strict
/// Transport Security, RFC 6797).
///
/// ```swift
/// let example = StrictTransportSecurity.Entry(host: "example.org", includesSubdomains: true)
/// let strict = StrictTransportSecurity(preloaded: [example])
/// let client = Client(baseURL: url) { $0.strictTransportSecurity = strict }
/// ```
///
/// An http request to such a host is sent by https. This includes redirects, and the first request
/// if the host is preloaded. Other hosts, at most 1,000, are learned from the
/// `Strict-Transport-Security` of their https responses. A client has no such list by default, and
/// several clients can share one.
///
/// All members may be used from any thread.
public final class StrictTransportSecurity: Sendable {
  /// A host that is contacted by https only.
  public struct Entry: Sendable, Hashable, Codable {
    /// The host in lower case.
    public var host: String
    /// Whether hosts below it are contacted by https only as well.
    public var includesSubdomains: Bool
    /// When the entry expires; `nil` for never.
    public var expiration: Date?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - host: The host, which can't be an address.
    ///   - includesSubdomains: Whether hosts below it are contacted by https only as well.
    ///   - expiration: When the entry expires; `nil` for never.
    public init(host: String, includesSubdomains: Bool = false, expiration: Date? = nil) {
      self.host = host.lowercased().withoutTrailingDot
      self.includesSubdomains = includesSubdomains
      self.expiration = expiration
    }
  }

  /// The maximum number of learned hosts. The ones that expire first are removed first.
  package static let maximumCount = 1000

  private let preloaded: [String: Entry]
  private let storage: (any StrictTransportStorage)?
  private let state = Mutex(State())

  private struct State {
    var learned: [String: Entry] = [:]
    /// Reads the stored hosts; `nil` before the first request.
    var reading: Task<Void, Never>?
    /// Whether the stored hosts were read.
    var isRead = false
    /// The last write; each one waits for the one before.
    var writing: Task<Void, Never>?
  }

  /// Creates a list of hosts.
  ///
  /// - Parameters:
  ///   - preloaded: Hosts that are known from the start and are never removed.
  ///   - storage: Stores learned hosts between runs of the program; `nil` for memory only.
  public init(preloaded: [Entry] = [], storage: (any StrictTransportStorage)? = nil) {
    self.preloaded = Dictionary(preloaded.map { ($0.host, $0) }) { $1 }
    self.storage = storage
  }

  /// The learned hosts, in no particular order.
  public var learned: [Entry] { state.withLock { Array($0.learned.values) } }

  /// Removes the learned hosts, and those in the storage.
  public func removeAll() {
    change { state in
      state.learned = [:]
      // What is being read must not come back.
      state.isRead = true
    }
  }
}

/// Stores the hosts that a ``StrictTransportSecurity`` has learned.
public protocol StrictTransportStorage: Sendable {
  /// Reads the hosts that were last written; none if nothing was written.
  ///
  /// - Throws: The reason why they can't be read. The list then begins without them.
  func read() async throws -> [StrictTransportSecurity.Entry]

  /// Writes all hosts and replaces those that were written before. Calls don't overlap.
  ///
  /// - Throws: The reason why they can't be written. The next change writes them again.
  func write(_ entries: [StrictTransportSecurity.Entry]) async throws
}

extension StrictTransportSecurity {
  /// Returns the URL to contact, with https if its host is strict (RFC 6797 section 8.3).
  ///
  /// - Parameters:
  ///   - url: An absolute URL.
  ///   - date: The current date; expired entries are ignored.
  public func upgraded(_ url: URL, at date: Date = Date()) -> URL {
    guard url.scheme?.lowercased() == "http",
      let host = url.plainHost, isStrict(host, at: date),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    parts.scheme = "https"
    if parts.port == 80 { parts.port = nil }
    return parts.url ?? url
  }

  private func isStrict(_ host: String, at date: Date) -> Bool {
    guard !host.isAddress else { return false }
    let learned = state.withLock(\.learned)
    var name = host[...]
    while true {
      for entry in [preloaded[String(name)], learned[String(name)]] {
        guard let entry, entry.expiration.map({ date < $0 }) ?? true else { continue }
        if entry.includesSubdomains || name == host { return true }
      }
      guard let dot = name.firstIndex(of: ".") else { return false }
      name = name[name.index(after: dot)...]
    }
  }

  /// Whether stored hosts haven't been read yet.
  var isUnread: Bool { storage != nil && state.withLock { !$0.isRead } }

  /// Reads the stored hosts once and waits for that.
  func read() async {
    guard let storage, isUnread else { return }
    let reading = state.withLock { state in
      if let reading = state.reading { return reading }
      let reading = Task { [self] in learn(stored: (try? await storage.read()) ?? []) }
      state.reading = reading
      return reading
    }
    await reading.value
  }

  private func learn(stored entries: [Entry]) {
    state.withLock { state in
      guard !state.isRead else { return }
      state.isRead = true
      for entry in entries.prefix(Self.maximumCount) where state.learned[entry.host] == nil {
        state.learned[entry.host] = entry
      }
    }
  }
}

extension StrictTransportSecurity {
  /// Learns from a response (RFC 6797 section 8.1). Responses by http and from IP addresses are
  /// ignored.
  ///
  /// - Parameters:
  ///   - headers: The headers of the response.
  ///   - url: The URL of the response.
  ///   - date: The current date.
  public func note(_ headers: Headers, from url: URL, at date: Date = Date()) {
    guard url.isSecure, let field = headers.values(of: "Strict-Transport-Security").first,
      let host = url.plainHost, !host.isAddress,
      let policy = Policy(field)
    else { return }
    let entry =
      policy.maxAge > 0
      ? Entry(
        host: host, includesSubdomains: policy.includesSubdomains,
        expiration: date.addingTimeInterval(policy.maxAge)) : nil
    guard state.withLock({ $0.learned[host] }) != entry else { return }
    change { state in
      state.learned[host] = entry
      guard state.learned.count > Self.maximumCount else { return }
      let soonest = state.learned.values.min {
        ($0.expiration ?? .distantFuture) < ($1.expiration ?? .distantFuture)
      }
      if let soonest { state.learned[soonest.host] = nil }
    }
  }

  private func change(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      guard let storage else { return }
      let before = state.writing
      state.writing = Task { [self] in
        await before?.value
        // Otherwise the hosts that haven't been read yet would be lost.
        await read()
        try? await storage.write(learned)
      }
    }
  }

  /// Waits until all changes are written, or writing them has failed.
  public func flush() async { await state.withLock(\.writing)?.value }
}

/// The directives of a `Strict-Transport-Security` field (RFC 6797 section 6.1).
private struct Policy {
  /// In seconds.
  var maxAge: TimeInterval
  var includesSubdomains = false

  /// - Returns: `nil` if a directive is repeated, or there is no age.
  init?(_ field: String) {
    var seen: Set<String> = []
    var age: TimeInterval?
    for directive in field.parts(between: ";") {
      let pair = directive.parts(between: "=", maxSplits: 1)
      guard let name = pair.first?.trimmingSpaces().lowercased(), !name.isEmpty else { continue }
      guard seen.insert(name).inserted else { return nil }
      let value = pair.count > 1 ? pair[1].trimmingSpaces() : ""
      switch name {
      case "max-age":
        let digits =
          value.hasPrefix("\"") && value.hasSuffix("\"") && value.count > 1
          ? value.dropFirst().dropLast() : value[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
          return nil
        }
        age = min(Double(digits) ?? 0, 10 * 365 * 86_400)
      case "includesubdomains": includesSubdomains = true
      default: break
      }
    }
    guard let age else { return nil }
    maxAge = age
  }
}
