import ResourceLoading
import ResourcePrimitives

extension CacheScope: CustomReflectable {
  /// Shows the scope, a URL without secrets.
  public var customMirror: Mirror {
    switch self {
    case .entry(let key): Mirror(self, children: ["entry": key])
    case .url(let url): Mirror(self, children: ["url": url.redactedURL().printable])
    case .groups(let groups): Mirror(self, children: ["groups": groups.count])
    case .partition(let partition): Mirror(self, children: ["partition": partition])
    case .credentials: Mirror(self, children: ["credentials": ()])
    case .everything: Mirror(self, children: ["everything": ()])
    }
  }
}
