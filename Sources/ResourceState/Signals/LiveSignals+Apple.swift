// Signals of Apple platforms. Nothing else in this module depends on them.

#if canImport(Network)
  import Network

  extension LiveSignals {
    /// Returns a sequence with an element whenever the network is back.
    public static func network() -> AsyncStream<Void> {
      AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let monitor = NWPathMonitor()
        let isSatisfied = LastStatus()
        monitor.pathUpdateHandler = { path in
          if isSatisfied.becomes(path.status == .satisfied) { continuation.yield() }
        }
        continuation.onTermination = { _ in monitor.cancel() }
        monitor.start(queue: DispatchQueue(label: "LiveSignals.network"))
      }
    }
  }

  import Dispatch
  import Synchronization

  private final class LastStatus: Sendable {
    private let last = Mutex(true)

    /// Records whether there is a network, and returns whether it is back.
    func becomes(_ isSatisfied: Bool) -> Bool {
      last.withLock { last in
        defer { last = isSatisfied }
        return isSatisfied && !last
      }
    }
  }
#endif

#if canImport(SwiftUI)
  public import SwiftUI

  extension View {
    /// Loads all observed resources that are stale or have failed, whenever the scene becomes
    /// active.
    public func reloadsWhenActive(_ live: LiveResources) -> some View {
      modifier(ReloadWhenActive(live: live))
    }
  }

  private struct ReloadWhenActive: ViewModifier {
    let live: LiveResources
    @Environment(\.scenePhase) private var phase

    func body(content: Content) -> some View {
      content.onChange(of: phase) { _, new in
        if new == .active { live.reloadStale() }
      }
    }
  }
#endif
