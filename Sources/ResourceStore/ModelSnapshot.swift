/// One state of a database, to read several things of it. It is only valid inside the body it is given to.
public struct ModelSnapshot: ModelReader {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  public func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M] {
    try connection.select(selection)
  }

  public func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try connection.count(type, where: condition)
  }
}

@available(*, unavailable)
extension ModelSnapshot: Sendable {}
