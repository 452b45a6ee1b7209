/// What an `Inspector` of the module `ResourceInspector` can show beside the loads of clients: an
/// HTTP cache, an outbox, or live resources.
///
/// Types outside this package can't be inspected: they can't create an ``InspectedTable``.
public protocol Inspectable: AnyObject, Sendable {
  /// What kind of object it is, for the title of its table.
  static var inspectedKind: String { get }

  /// Returns what the object holds now, without secrets.
  func inspect(_ context: InspectedTable.Context) async throws -> InspectedTable
}
