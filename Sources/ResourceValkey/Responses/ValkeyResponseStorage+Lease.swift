#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  public import ResourceCache

  extension ValkeyResponseStorage {
    /// Asks for the right to request a response; see `ResponseStorage`. Without the server each
    /// process requests the response for itself, which isn't an error.
    ///
    /// - Throws: `CancellationError`.
    public func lease(for key: CacheKey, variant: String) async throws -> ResponseLease {
      guard leaseTime > .zero, server.isAvailable else { return .notNeeded }
      let (token, time) = (UUID().uuidString, leaseTime.milliseconds)
      do {
        return try await use { state in
          let lease = state.keys(of: key).lease(state.hash(variant: variant))
          return [
            Command(
              ResponseScripts.lease, keys: [self.stateKey, lease],
              [.data(state.history), .text(token), .integer(time)])
          ]
        } reading: { _, replies in
          switch replies[0].integer {
          case 0: .granted(token: token)
          case let time? where time > 0: .taken(.milliseconds(time))
          case -1: .notNeeded
          default: nil
          }
        }
      } catch {
        try Task.checkCancellation()
        return .notNeeded
      }
    }

    /// Ends a lease, without waiting for the server. After a response that others can't use, no
    /// lease is needed for the time that a lease lasts.
    public func endLease(
      _ token: String, for key: CacheKey, variant: String, _ outcome: ResponseLease.Outcome
    ) {
      guard let state = lastState else { return }
      let time = outcome == .notShared ? leaseTime.milliseconds : 0
      server.post { serverID in
        guard serverID == state.serverID else { return nil }
        let lease = state.keys(of: key).lease(state.hash(variant: variant))
        return [Command(ResponseScripts.endLease, keys: [lease], [.text(token), .integer(time)])]
      }
    }
  }
#endif
