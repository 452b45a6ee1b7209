import Foundation
public import ResourceLoading
internal import ResourcePrimitives

extension HTTPCache: Inspectable {
  public static var inspectedKind: String { "Cache" }

  /// Lists the responses, the latest used ones first.
  public func inspect(_ context: InspectedTable.Context) async throws -> InspectedTable {
    let request = ResponseListRequest(limit: context.limit, hashKey: HashKey(from: context.salt)) {
      context.urls().map { CacheKey(url: $0, partition: .anonymous).url }
    }
    guard let list = try await storage.list(request) else {
      return InspectedTable(note: "The storage of this cache can't list its responses.")
    }
    let failures =
      list.failedRemovals == 0
      ? "" : ". Failed removals, whose responses aren't used: \(list.failedRemovals)"
    return InspectedTable(
      note: context.note(list.responses.count, of: list.count, "response", plural: "responses")
        + ", \(list.size) bytes\(failures)",
      columns: [
        "URL", "Credential", "Variant", .number("Status"), "State", "Why", "Fresh until",
        "Received", .number("Bytes"),
      ],
      rows: list.responses.map { $0.cells(context, list.setBackFrom) })
  }
}

extension ListedResponse {
  fileprivate func cells(
    _ context: InspectedTable.Context, _ setBack: Date?
  ) -> [InspectedTable.Cell] {
    let text = context.text(url ?? "")
    let prefix = method == .get ? "" : text("\(method) ")
    let use = response.use(at: context.date, setBackFrom: setBack)
    let end = context.date.addingTimeInterval(-response.staleness(at: context.date).seconds)
    return [
      .text(prefix + (url.map { text.url($0) } ?? "only a hash")),
      .text(partition.isEmpty ? "none" : SecureHash.hexadecimal(partition.prefix(4))),
      .text(text(variant(context.secretNames))), .number(response.response.status.rawValue),
      .text(use.description, use == .fresh ? .good : nil), .text(response.reason(for: use)),
      .time(end), .time(response.responseDate), .number(size),
    ]
  }

  /// The headers that select the response. Those that may be credentials are hashed.
  private func variant(_ secretNames: Set<String>) -> String {
    response.selectingHeaders.map { field in
      field.name.isHarmless(besides: secretNames)
        ? "\(field.name): \(field.value)" : "\(field.name): <redacted>"
    }.joined(separator: ", ")
  }
}

extension StoredUse {
  fileprivate var description: String {
    switch self {
    case .fresh: "fresh"
    case .stale: "stale, used"
    case .staleMeanwhile: "stale, used while it is revalidated"
    case .revalidated(.mustRevalidate), .revalidated(.stale): "stale, must be revalidated"
    case .revalidated: "must be revalidated"
    }
  }
}

extension StoredResponse {
  /// The rules by which it may be used.
  fileprivate func reason(for use: StoredUse) -> String {
    var reasons: [String?] = [lifetime]
    switch use {
    case .revalidated(.noCache): reasons = ["no-cache"]
    case .revalidated(.redirect): reasons = ["the request was redirected"]
    case .revalidated(.mustRevalidate): reasons.append("must-revalidate")
    default: reasons.append(directive("stale-while-revalidate", control.staleWhileRevalidate))
    }
    return (reasons + [directive("stale-if-error", control.staleIfError)])
      .compactMap(\.self).joined(separator: ", ")
  }

  /// What determines how long it is fresh.
  private var lifetime: String? {
    switch lifetimeRule {
    case .maxAge: directive("max-age", freshnessLifetime)
    case .expires: "Expires"
    case .lastModified: "a tenth of the time since Last-Modified"
    case .none: "no lifetime given"
    }
  }

  private func directive(_ name: String, _ duration: Duration?) -> String? {
    duration.map { "\(name)=\($0.components.seconds)" }
  }
}
