import Foundation

@testable import ResourceInspector
@testable import ResourceLoading

/// An event at a number of milliseconds after the beginning of load 1.
func event(_ milliseconds: Int, _ kind: LoadEvent.Kind, load: UInt64 = 1) -> LoadEvent {
  var event = LoadEvent(load: load, elapsed: .milliseconds(milliseconds), kind: kind)
  if case .started(let request) = kind { event.secretNames = request.options.secretNames }
  return event
}

func sent(_ milliseconds: Int, _ url: String = "https://example.org/a") -> LoadEvent {
  event(milliseconds, .sent(method: .get, url: URL(string: url) ?? URL(filePath: "/")))
}

/// The record of a load after some events.
func record(
  of request: Request = .get("https://example.org/a"), _ events: LoadEvent...
) -> LoadRecord {
  var record = LoadRecord(
    request, id: 1, key: LoadRecord.Key(client: 0, load: 1), start: .zero)
  for event in events { record.note(event) }
  return record
}

extension LoadLog {
  /// Notes some events of the client with the number 0.
  func note(_ events: LoadEvent...) {
    if changes().clients.isEmpty { _ = observer(named: "client") }
    for event in events { note(event, of: LoadRecord.Key(client: 0, load: event.load)) }
  }
}
