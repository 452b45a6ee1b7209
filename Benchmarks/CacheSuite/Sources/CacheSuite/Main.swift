import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceValkey

/// `CacheSuite FILE URL STORAGE PLACE [OPTION ...]`: plays the cases in a file against the server at
/// a URL; see `../cachesuite`.
@main
enum Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 4, let base = URL(string: arguments[2]),
      let cache = cache(arguments[3], at: arguments[4], sharing: headers(arguments.dropFirst(5)))
    else {
      print("usage: CacheSuite FILE URL STORAGE PLACE [vary] [shared] [CASE ...]")
      exit(64)
    }
    let groups = try JSONDecoder().decode(
      [Case.Group].self, from: Data(contentsOf: URL(filePath: arguments[1])))
    let tests = selected(groups.flatMap(\.tests), Set(arguments.dropFirst(5)))
    let client = client(with: [CoalescingMiddleware(), cache])
    let player = Player(base: base, client: client, plain: self.client(with: []))
    let report = Report(tests, await player.play(tests))
    print("\(tests.count) cases, \(arguments[3])")
    report.print()
    // What the cache reached when the suite was first played.
    let isComplete = !tests.contains { $0.isForSharedCaches == true } && tests.count >= 300
    guard
      !isComplete || report.count(.required).passed >= 133 && report.count(.optimal).passed >= 69
    else { exit(1) }
  }

  private static func client(with middleware: [any Middleware]) -> Client {
    Client {
      $0.middleware = middleware
      ($0.maximumRequestsPerHost, $0.maximumRequests) = (nil, nil)
    }
  }

  /// The cases for private caches, or those that are named; with the option `shared` also those
  /// that the suite leaves to shared caches.
  private static func selected(_ tests: [Case], _ options: Set<String>) -> [Case] {
    let named = tests.filter { options.contains($0.id) }
    guard named.isEmpty else { return named }
    return tests.filter {
      $0.isForNetworks != true && (options.contains("shared") || $0.isForSharedCaches != true)
    }
  }

  /// The names that don't make a partition: those with which the suite numbers its requests, and
  /// with the option `vary` those by which its responses vary. Without it, the cache takes these
  /// for credentials, and the cases about `Vary` pass or fail by that.
  private static func headers(_ options: some Sequence<String>) -> Set<Headers.Name> {
    let numbers: Set<Headers.Name> = ["Test-ID", "Req-Num"]
    return options.contains("vary")
      ? numbers.union(["Foo", "Bar", "Baz", "Abc", "Other"]) : numbers
  }

  private static func cache(
    _ storage: String, at place: String, sharing names: Set<Headers.Name>
  ) -> HTTPCache? {
    switch storage {
    case "memory": return HTTPCache(.memory(), sharedHeaders: names)
    case "sqlite": return HTTPCache(.sqlite(URL(filePath: place)), sharedHeaders: names)
    case "tiered":
      return HTTPCache(.memory(), before: .sqlite(URL(filePath: place)), sharedHeaders: names)
    #if Valkey
      // What the library's trait adds isn't there when all packages are typechecked.
      case "valkey":
        let server = ValkeyServer(.unixSocket(place))
        return HTTPCache(ValkeyResponseStorage(server), sharedHeaders: names)
    #endif
    default: return nil
    }
  }
}
