import Foundation
public import ResourceLoading

extension LiveResources: Inspectable {
  public nonisolated static var inspectedKind: String { "Live resources" }

  /// Lists the resources and pages, those with observers first. This doesn't observe them.
  public func inspect(_ context: InspectedTable.Context) -> InspectedTable {
    let (summaries, count) = summaries(atMost: context.limit)
    return InspectedTable(
      note: context.note(summaries.count, of: count, "resource", plural: "resources"),
      columns: [
        "Request", "Type", "State", .number("Observers"), "Updated", "Becomes stale", "Next load",
        "Released", "Failure",
      ],
      rows: summaries.map { $0.cells(context) })
  }
}

extension LiveSummary {
  fileprivate func cells(_ context: InspectedTable.Context) -> [InspectedTable.Cell] {
    let text = ReportText(request, secretNames: context.secretNames)
    let pages = kind == .pages ? "pages of " : ""
    return [
      .text(text("\(request.method) ") + text.url(request.url)), .text(text(pages + valueType)),
      .text(state, hasValue && !isStale ? .good : nil), .number(observers), .time(updated),
      .time(becomesStale), .time(reloads), .time(isReleased),
      .failure(error, text),
    ]
  }

  private var state: String {
    let value = !hasValue ? "no value" : isStale ? "stale" : "fresh"
    return value + (isLoading ? ", loading" : "") + (hasWrites ? ", being written" : "")
  }
}
