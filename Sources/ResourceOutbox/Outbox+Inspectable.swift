import Foundation
public import ResourceLoading

extension Outbox: Inspectable {
  public static var inspectedKind: String { "Outbox" }

  /// Lists the entries, the first ones added first. Their payloads aren't shown.
  public func inspect(_ context: InspectedTable.Context) async throws -> InspectedTable {
    let entries = try await currentEntries(limit: context.limit)
    // Entries may be added meanwhile.
    let count = max(entries.count, try await count())
    return InspectedTable(
      note: context.note(entries.count, of: count, "entry", plural: "entries"),
      columns: [
        "Request", "Key", "State", .number("Attempts"), "Next attempt", "Added", "Last failure",
      ],
      rows: entries.map { $0.cells(context) })
  }
}

extension OutboxEntry {
  fileprivate func cells(_ context: InspectedTable.Context) -> [InspectedTable.Cell] {
    let text = context.text(target)
    return [
      .text(text("\(method) ") + text.url(target)), .text(text(key.rawValue)),
      .text("\(state)", state == .parked || state == .uncertain ? .bad : nil), .number(attempts),
      nextAttempt, .time(added), .failure(error, text),
    ]
  }

  private var nextAttempt: InspectedTable.Cell {
    switch state {
    case .sending: .text("now")
    case .parked, .uncertain: .text("when it is retried")
    case .waiting where isPaused: .text("when it is resumed")
    case .waiting where isBlocked: .text("after other entries")
    case .waiting: .time(due)
    }
  }
}
