import Foundation
import ResourceLoading
import ResourceState

extension InspectedTable.Content {
  /// Lists live resources and pages, those with observers first. This doesn't observe them.
  init(_ live: LiveResources, _ context: InspectedTable.Context) async {
    let (summaries, count) = await live.summaries(atMost: context.limit)
    self.init(
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
