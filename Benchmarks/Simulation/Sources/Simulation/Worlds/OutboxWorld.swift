import CSimulation
import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore

/// An outbox, or two over one file, in processes that die.
final class OutboxWorld: ProcessesWorld, @unchecked Sendable {
  private let keys = ["a", "b", "c"]
  /// How many of the writes upload a file, in thousandths.
  private let uploadShare = pick(of: [0, 300, 700])
  private let deliversInterimResponses = chance(700)

  override func live(_ process: UInt32, isLast: Bool) {
    let writes = isLast ? 3 : 4 + pick(8)
    let concurrency = 1 + pick(4)
    let senders = chance(300) ? 2 : 1
    Task { [self] in
      do {
        let store = try await openStore()
        let outbox = try await openOutbox(over: store, with: client(), concurrency: concurrency)
        note("process \(process) has opened its outbox")
        // A call of the disk that fails once is no reason to lose anything.
        if isLast, chance(200) { sim_disk_error_at(Int64(pick(200))) }
        // Another sender over the same file, as an app and its extension have.
        let second = senders > 1 ? try await openStore() : nil
        var outboxes = [outbox]
        if let second {
          outboxes.append(
            try await openOutbox(over: second, with: client(), concurrency: concurrency))
        }
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<writes {
            let (key, pause, outbox) = (pick(of: keys), pick(800), pick(of: outboxes))
            let size = chance(uploadShare) ? pick(of: [0, 1, 900, 70_000, 150_000]) : nil
            group.addTask { [self] in
              try? await SimulatedClock().sleep(for: .milliseconds(pause))
              let receipt = try? await add(to: key, uploading: size) {
                try await outbox.add($0, as: OutboxKey(rawValue: key))
              }
              if let id = receipt?.id, size ?? 0 > 0 { uploads.insert(id) }
            }
          }
        }
        guard isLast else { return }
        try await drain(outbox)
        for outbox in outboxes { await outbox.close() }
        await second?.close()
        await store.close()
        isClosed = true
      } catch {
        note("process \(process): \(error)")
        if isLast { violate(.opensAgain, "\(error)") }
      }
    }
  }

  private func client() -> Client {
    let interim = deliversInterimResponses
    return Client(baseURL: URL(string: "https://host.example")) {
      $0.transport = SimulatedTransport(server, deliversInterimResponses: interim)
      $0.clock = SimulatedClock()
      $0.options.timeout = .seconds(5)
    }
  }
}
