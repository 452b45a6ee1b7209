internal import ResourceLoading
internal import Synchronization

/// One way through the rows of a selection, some at a time.
final class RowWalk<M: StoredModel>: Sendable {
  private let step: @Sendable () async throws -> (rows: [M], areMore: Bool)

  /// Reads on a connection that nobody else uses, and which goes with the last step or with the walk.
  init(_ selection: Selection<M>, lane: Lane) {
    step = { try await lane.run { try $0.nextRows(of: selection) } }
  }

  /// Reads all rows in one step.
  init(_ selection: Selection<M>, pool: LanePool) {
    step = { (try await pool.run { try $0.select(selection) }, false) }
  }

  /// The next rows, and whether there may be more.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  func next() async throws -> (rows: [M], areMore: Bool) { try await step() }
}

/// The connections of the walks of a store, which it closes with its own.
final class WalkLanes: Sendable {
  private let state = Mutex(State())
  private let connect: @Sendable () throws -> sending Connection

  private struct State {
    var lanes: [WeakLane] = []
    var isClosed = false
  }

  private struct WeakLane {
    weak let lane: Lane?
  }

  init(connect: @escaping @Sendable () throws -> sending Connection) { self.connect = connect }

  /// Makes a lane for one walk, which holds it.
  ///
  /// - Throws: A `LoadError` of kind `closed`.
  func makeLane() throws -> Lane {
    let lane = Lane(connect: connect)
    try state.withLock { state in
      guard !state.isClosed else { throw LoadError.storeClosed }
      state.lanes.removeAll { $0.lane == nil }
      state.lanes.append(WeakLane(lane: lane))
    }
    return lane
  }

  /// Closes the connections of all walks, which end with an error then.
  func close() async {
    let lanes = state.withLock { state in
      state.isClosed = true
      defer { state.lanes = [] }
      return state.lanes.compactMap(\.lane)
    }
    for lane in lanes { await lane.close() }
  }
}

extension Connection {
  /// The next rows of the one walk that this connection is for.
  ///
  /// - Returns: The rows, and whether there are more. Behind the last one, its state of the database is let go.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`; then the walk has ended.
  func nextRows<M: StoredModel>(of selection: Selection<M>) throws -> (rows: [M], areMore: Bool) {
    do {
      guard let statement = try walk ?? beginWalk(selection) else { return ([], false) }
      let (rows, areMore) = try someModels(M.self, of: statement)
      if !areMore { endWalk() }
      return (rows, areMore)
    } catch {
      endWalk()
      throw error
    }
  }

  /// The statement, which stands at the first row and keeps the state of the database until it is reset; `nil` where
  /// there is no row.
  private func beginWalk<M: StoredModel>(_ selection: Selection<M>) throws -> Statement? {
    guard let statement = try statement(for: SQLQuery(selection)) else { return nil }
    walk = statement
    guard try statement.step() else {
      endWalk()
      return nil
    }
    return statement
  }

  private func endWalk() {
    walk?.finish()
    walk = nil
  }
}
